import { UsageError } from "@evenbench/core/errors";

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
    const near = likeliest(name, known).map((like) => `"${like}"`);
    const hint = near.length === 0 ? `Known: ${known.join(", ")}.` : `Did you mean ${near.join(" or ")}?`;
    throw new UsageError(`There is no ${noun} "${name}". ${hint}`);
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

/** Finds the names that a word most likely means: up to three that begin with it, else the nearest one. */
function likeliest(word: string, names: readonly string[]): readonly string[] {
  const begun = names.filter((name) => name.startsWith(word)).slice(0, 3);
  return begun.length > 0 ? begun : nearest(word, names);
}

/** Finds the name that takes the fewest letters to make of a word: at most half of its letters, or two; none else. */
function nearest(word: string, names: readonly string[]): readonly string[] {
  const most = Math.max(2, word.length / 2);
  const near = names
    .map((name) => ({ name, edits: editsBetween(word, name) }))
    .sort((a, b) => a.edits - b.edits);
  const found = near.find(({ edits }) => edits <= most);
  return found === undefined ? [] : [found.name];
}

/** Counts the letters to add, remove or change (Wagner and Fischer, "The string-to-string correction problem", 1974). */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1];
    for (let at = 1; at <= to.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
