import type { PlatformRecord } from "@evenbench/core";

/** So many colours has the style, after Okabe and Ito's palette. */
export const COLOURS = 8;
/** Of them these are for what has none of its own. */
const SHARED = 3;

/** What a colour is chosen by. */
export interface Coloured {
  readonly name: string;
  /** null where it is not known, as of a URL. */
  readonly platform: string | null;
  readonly copyOf: string | null;
  readonly about?: Pick<PlatformRecord, "colour">;
}

/**
 * Which colour each of some targets has, by name: that of its platform, whatever else is drawn. Where the
 * platform has none of its own, the names share what is left, in alphabetical order.
 */
export function platformColours(targets: readonly Coloured[]): ReadonlyMap<string, number> {
  const others = [...new Set(targets.filter((target) => ownColour(target) === null).map(ownerOf))].sort();
  const colourOf = (target: Coloured) =>
    ownColour(target) ?? COLOURS - SHARED + (others.indexOf(ownerOf(target)) % SHARED);
  return new Map(targets.map((target) => [target.name, colourOf(target)]));
}

/** Compares two targets for sorting: the one order of platforms on all pages; equal ones stay as they are. */
export function byPlatform(a: Coloured, b: Coloured): number {
  return (ownColour(a) ?? COLOURS) - (ownColour(b) ?? COLOURS);
}

function ownColour({ about }: Coloured): number | null {
  return about?.colour ?? null;
}

function ownerOf({ name, platform, copyOf }: Coloured): string {
  return platform ?? copyOf ?? name;
}
