import { UsageError } from "@evenbench/core/errors";
import { closest, distance } from "fastest-levenshtein";

/**
 * Gives those of the known names that are wanted, in their known order; all of them where none is wanted.
 *
 * @throws {UsageError} for a name that is not known, with the one that is most like it.
 */
export function oneOf(noun: string, wanted: readonly string[], known: readonly string[]): readonly string[] {
  for (const name of wanted) {
    if (known.includes(name)) {
      continue;
    }
    const near = known.length > 0 ? closest(name, known) : "";
    const hint = distance(name, near) <= Math.max(2, name.length / 2) ? ` Did you mean "${near}"?` : "";
    throw new UsageError(`There is no ${noun} "${name}".${hint} Known: ${known.join(", ")}.`);
  }
  return wanted.length === 0 ? known : known.filter((name) => wanted.includes(name));
}

/** Checks the name of a baseline. @throws {UsageError} where no target has it. */
export function pickBaseline(
  baseline: string | undefined,
  targets: readonly { readonly name: string }[],
): void {
  const names = targets.map(({ name }) => name);
  if (baseline !== undefined) {
    oneOf("target", [baseline], names);
  }
}
