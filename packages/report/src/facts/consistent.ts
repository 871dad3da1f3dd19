// Whether facts of others can be those of a run: the schema holds their form, this file what they say of one another.
import { firstRepeated } from "@evenbench/core";
import type { Change, Facts } from "./facts.ts";

/** Says why facts contradict themselves, as half a sentence; null where they do not. */
export function whyNoFacts(facts: Facts): string | null {
  return whyNotUnique(facts) ?? whyStray(facts) ?? whyNoInterval(facts.changes);
}

function whyNotUnique({ cases, targets, changes }: Facts): string | null {
  const named: readonly (readonly [what: string, names: readonly string[]])[] = [
    ["case", cases.map(({ id }) => id)],
    ["target", targets.map(({ name }) => name)],
    ["change", changes.map((change) => changeName(change))],
  ];
  for (const [what, names] of named) {
    const twice = firstRepeated(names);
    if (twice !== null) {
      return `it has the ${what} ${JSON.stringify(twice)} twice`;
    }
  }
  return null;
}

function changeName({ case: of, target, baseline, metric, role, place }: Change): string {
  return [of, target, baseline, metric, role, place].filter((part) => part !== null).join(", ");
}

/** Says what is of a case or a target that the facts do not have. */
function whyStray({ cases, targets, levels, changes, answers, trends }: Facts): string | null {
  const ids = new Set(cases.map(({ id }) => id));
  const names = new Set(targets.map(({ name }) => name));
  const placed = [...levels, ...changes, ...answers, ...trends];
  const strayCase = placed.find((each) => each.case !== null && !ids.has(each.case));
  if (strayCase !== undefined) {
    return `it has a number of the case ${JSON.stringify(strayCase.case)}, which it does not name`;
  }
  const all = [
    ...placed.map(({ target }) => target),
    ...changes.map(({ baseline }) => baseline),
    ...trends.flatMap(({ baseline }) => baseline ?? []),
  ];
  const stray = all.find((name) => !names.has(name));
  return stray === undefined
    ? null
    : `it has a number of the target ${JSON.stringify(stray)}, which it does not name`;
}

/** Says which change has ends in another order than an interval's. */
function whyNoInterval(changes: readonly Change[]): string | null {
  const wrong = changes.find((change) => !isInOrder(change));
  return wrong === undefined
    ? null
    : `the ends of its change ${JSON.stringify(changeName(wrong))} are in no order`;
}

/** Tells whether the numbers of a change are in order: both intervals around the estimate, and a ratio above 0. */
function isInOrder({ unit, low, low90, estimate, high90, high }: Change): boolean {
  const known = [low, low90, estimate, high90, high].filter((end) => end !== null);
  const isAscending = known.every((end, index) => end >= (known[index - 1] ?? Number.NEGATIVE_INFINITY));
  return isAscending && (unit === "ms" || known.every((end) => end > 0));
}
