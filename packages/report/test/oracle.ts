// What a drawn run has to say, found by loops over what was drawn: nothing is taken from the code that is tested.
import type { Change, Facts, Metric, Verdict } from "../src/facts/facts.ts";
import { WHY_WORDS } from "../src/words/why.ts";

/** The changes that a run was made for, by one metric, as the draw marks them. */
export function drawn({ changes }: Facts, metric: Metric): readonly Change[] {
  return changes.filter(
    (change) => change.role === "main" && change.place === null && change.metric === metric,
  );
}

/** Tells whether a change says what is the case. */
const isDecided = ({ verdict }: Change) => ["faster", "slower", "same"].includes(verdict);
/** Tells whether a change has the mark. */
export const isMarked = (change: Change) => isDecided(change) && change.flags.length > 0;

/** The cell that a drawn change has to have: its ends are whole percents, or whole milliseconds. */
export function cellOf(change: Change): string {
  const { verdict, why, unit, low, high, estimate, low90, high90 } = change;
  const isMs = unit === "ms";
  const sign = isMs ? "ms" : "%";
  const amount = (value: number | null) => {
    const rounded = Math.round(isMs ? (value ?? 0) : 100 * ((value ?? 1) - 1));
    return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)}`;
  };
  const mark = isMarked(change) ? " *" : "";
  if (why !== null) {
    return `${verdict === "none" ? "✕" : "?"} ${WHY_WORDS[why]}`;
  }
  if (verdict === "same") {
    const deviation = Math.max(1 / (low90 ?? 1), high90 ?? 1) - 1;
    const reach = isMs
      ? Math.max(-(low90 ?? 0), high90 ?? 0)
      : Math.max(1, Math.ceil(100 * deviation - 1e-6));
    return `= within ${reach} ${sign}${mark}`;
  }
  const ends = `${amount(low)} to ${amount(high)}`;
  if (verdict === "unclear") {
    return `? ${ends} ${sign}`;
  }
  return `${verdict === "faster" ? "◀" : "▶"} ${amount(estimate)} ${sign} (${ends})${mark}`;
}

const TIME_WORDS = {
  faster: "faster",
  slower: "slower",
  same: "same",
  unclear: "unclear",
  none: "no verdict",
};
const CPU_WORDS = { ...TIME_WORDS, faster: "less", slower: "more" };

/** The counts of a platform: "faster in 3 of 7, slower in 1". */
interface DrawnCounts {
  readonly name: string;
  readonly said: string;
}

/** Counts verdicts by a loop, for each platform in the order of targets. */
export function countsOf(facts: Facts, metric: Metric): readonly DrawnCounts[] {
  const words = metric === "cpuMs" ? CPU_WORDS : TIME_WORDS;
  return [...new Set(facts.targets.map(({ column }) => column))].flatMap((column) => {
    const parts: string[] = [];
    const own = drawn(facts, metric).filter(
      (change) => facts.targets.find(({ name }) => name === change.target)?.column === column,
    );
    for (const verdict of Object.keys(words) as Verdict[]) {
      let count = 0;
      for (const change of own) {
        count += change.verdict === verdict ? 1 : 0;
      }
      if (count > 0) {
        parts.push(`${words[verdict]} in ${count}${parts.length === 0 ? ` of ${own.length}` : ""}`);
      }
    }
    return parts.length === 0 ? [] : [{ name: column, said: parts.join(", ") }];
  });
}
