/** What every page marks these platforms with, whatever else is on it. */
export const PLATFORM_MARKS: Readonly<Record<string, string>> = {
  node: "c0",
  cloudflare: "c1",
  vercel: "c2",
  deno: "c3",
  bun: "c4",
};

/** The names that a page marks with a colour, each with the class that it has, in the order of the page. */
export function marksIn(html: string): readonly (readonly [name: string, mark: string])[] {
  const marks = html.matchAll(/<span class="target (c\d)(?: copy)?">([^<]*)<\/span>/g);
  return [...new Map([...marks].map(([, mark = "", name = ""]) => [name, mark]))];
}

/** What `marksIn` must find where a page has these platforms. */
export function marksOf(platforms: readonly string[]): readonly (readonly [string, string | undefined])[] {
  return platforms.map((one) => [one, PLATFORM_MARKS[one]]);
}
