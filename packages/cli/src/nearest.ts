import { UserError } from "@evenbench/core/basics";
import { closest, distance } from "fastest-levenshtein";

/**
 * Picks the wanted names out of the known ones, in the order of the known ones.
 *
 * @throws {UsageError} naming what is unknown, the nearest known name, and all of them.
 */
export function pick(what: string, wanted: readonly string[], known: readonly string[]): readonly string[] {
  for (const name of wanted) {
    if (known.includes(name)) continue;
    const near = known.length > 0 ? closest(name, known) : "";
    const hint = distance(name, near) <= Math.max(2, name.length / 2) ? ` Did you mean "${near}"?` : "";
    throw new UsageError(`There is no ${what} "${name}".${hint} Known: ${known.join(", ")}.`);
  }
  return wanted.length === 0 ? known : known.filter((name) => wanted.includes(name));
}

/** @throws {UsageError} for a baseline that is none of the targets. */
export function pickBaseline(
  baseline: string | undefined,
  targets: readonly { readonly name: string }[],
): void {
  const names = targets.map(({ name }) => name);
  if (baseline !== undefined) pick("target", [baseline], names);
}

/** A wrong word on the command line: printed as one line, exit code 2. */
export class UsageError extends UserError {}
