/** Text of HTML or SVG that is safe to be put in a page as it is. */
export class Markup {
  /** The source. */
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value that may be put into markup; null and an empty list are nothing. */
type MarkupPart = Markup | string | number | null | readonly MarkupPart[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Tells whether a link leads into the page, its folder, or to a web host: a "javascript:" would run. */
function isSafeLink(link: string): boolean {
  const { protocol } = URL.parse(link, "https://page.invalid") ?? {};
  return protocol === "https:" || protocol === "http:";
}

/**
 * Makes markup of a template. Whatever is put in is escaped unless it is markup itself; a link that is not safe
 * becomes "#".
 *
 * @example html`<p>${sentence}</p>`
 */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return new Markup(strings.map((text, index) => text + placed(text, parts[index] ?? null)).join(""));
}

/** Writes a part at its place in a template; as "#" where an unsafe link would stand. */
function placed(before: string, part: MarkupPart): string {
  const isLink = /\b(?:href|src|action)="$/.test(before);
  return isLink && !isSafeLink(String(part)) ? "#" : rendered(part);
}

/** Writes a part as markup. */
function rendered(part: MarkupPart): string {
  if (part === null) {
    return "";
  }
  if (part instanceof Markup) {
    return part.text;
  }
  if (typeof part === "object") {
    return part.map(rendered).join("");
  }
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
