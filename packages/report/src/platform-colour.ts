/** Platforms in the order and with the colours in which every page has them; what is not here takes what is left. */
const PLATFORMS = ["node", "cloudflare", "vercel", "deno", "bun"];
/** So many colours has the style, after Okabe and Ito's palette. */
export const COLOURS = 8;

/** What a colour is chosen by. */
export interface Coloured {
  readonly name: string;
  /** null where it is not known, as of a URL. */
  readonly platform: string | null;
  readonly copyOf: string | null;
}

/**
 * Which colour each of some targets has, by name: that of its platform, whatever else is drawn. Where the
 * platform has none of its own, the names share what is left, in alphabetical order.
 */
export function platformColours(targets: readonly Coloured[]): ReadonlyMap<string, number> {
  const others = [...new Set(targets.map(ownerOf))].filter((one) => !PLATFORMS.includes(one)).sort();
  const left = COLOURS - PLATFORMS.length;
  const colourOf = (owner: string) =>
    PLATFORMS.includes(owner) ? PLATFORMS.indexOf(owner) : PLATFORMS.length + (others.indexOf(owner) % left);
  return new Map(targets.map((target) => [target.name, colourOf(ownerOf(target))]));
}

/** Compares two targets for sorting: the one order of platforms on all pages; equal ones stay as they are. */
export function byPlatform(a: Coloured, b: Coloured): number {
  return placeOf(a) - placeOf(b);
}

function placeOf({ platform }: Coloured): number {
  const place = PLATFORMS.indexOf(platform ?? "");
  return place === -1 ? PLATFORMS.length : place;
}

function ownerOf({ name, platform, copyOf }: Coloured): string {
  return platform ?? copyOf ?? name;
}
