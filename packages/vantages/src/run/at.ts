import { UserError } from "@evenbench/core";
import { vantageName } from "../protocol/line.ts";

/** Where a vantage is: this machine, or one that ssh reaches. */
export interface Place {
  readonly vantage: string;
  /** As ssh takes it, such as "me@vm1"; null for this machine. */
  readonly destination: string | null;
}

/** A destination that begins with "-" would be an option to ssh. */
const DESTINATION = /^[A-Za-z0-9_][\w.@:%[\]-]*$/;

/** Reads "eu=ssh:me@vm1" or "here=local".  */
export function parsePlaces(words: readonly string[]): readonly Place[] {
  const places = words.map(parsePlace);
  const names = places.map(({ vantage }) => vantage);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UserError(`Two vantages are named "${twice}". Give each its own name.`);
  return places;
}

function parsePlace(word: string): Place {
  const [, vantage = "", where = ""] = /^([^=]*)=(.*)$/.exec(word) ?? [];
  const destination = where.startsWith("ssh:") ? where.slice("ssh:".length) : null;
  const isKnown = where === "local" || (destination !== null && DESTINATION.test(destination));
  if (vantageName.safeParse(vantage).success && isKnown) return { vantage, destination };
  throw new UserError(
    `"${word}" is no vantage. Write name=ssh:user@machine or name=local, with a name of lower-case letters, digits and hyphens, such as eu=ssh:me@vm1.`,
  );
}
