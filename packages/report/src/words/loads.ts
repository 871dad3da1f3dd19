// What was offered in a load, and how much was answered at most.
import { formatCount } from "@evenbench/page";
import type { CaseFacts, Facts, Level, Load } from "../facts/facts.ts";
import { targetOf } from "./columns.ts";
import { WHY_WORDS } from "./why.ts";

/** Writes what was offered: "8 at a time", "120/s", "p99 ≤ 250 ms"; empty without a load. */
export function loadWords(load: Load | null): string {
  if (load === null) {
    return "";
  }
  const { kind, value, condition } = load;
  if (kind === "concurrency") {
    return `${value ?? "?"} at a time`;
  }
  if (condition === null) {
    return `${rateWords(value)}/s`;
  }
  return `p${Number((100 * condition.quantile).toPrecision(6))} ≤ ${condition.limitMs} ms`;
}

/** Writes a rate with three digits, without a unit; "–" where it is not known. */
export function rateWords(perSecond: number | null): string {
  if (perSecond === null) {
    return "–";
  }
  const rounded = Number(perSecond.toPrecision(3));
  return perSecond >= 999.5 ? formatCount(rounded) : String(rounded);
}

/** Finds how much each target of a case answers at most, the most first: of a sweep, or under the condition of a search. */
export function limitsIn({ levels }: Facts, { id }: Pick<CaseFacts, "id">): readonly Level[] {
  return levels
    .filter(
      ({ case: of, metric, load }) =>
        of === id && metric === "answersPerSecond" && (load === null || load.kind === "capacity"),
    )
    .toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/** Tells whether the highest rate within a condition was searched for in a case. */
export function isSearched(facts: Facts, each: Pick<CaseFacts, "id">): boolean {
  return limitsIn(facts, each).some(({ load }) => load !== null);
}

/** Writes how much a target answers at most: "36.7", "160 or more", "36.7 (from a cache)", "none held". */
export function limitWords({ value, why }: Level): string {
  if (value === null) {
    return why === null ? "–" : WHY_WORDS[why];
  }
  if (why === null) {
    return rateWords(value);
  }
  return `${rateWords(value)} ${why === "all-held" ? WHY_WORDS[why] : `(${WHY_WORDS[why]})`}`;
}

/** Says how much the targets of a case answer at most: "node 326 answers a second at most, workerd 98."; what was asked where no limit was looked for. */
export function loadAnswer(facts: Facts, each: CaseFacts): string {
  const limits = limitsIn(facts, each);
  const [most] = limits;
  if (most === undefined) {
    const asked = facts.answers.some((answer) => answer.case === each.id && answer.requests > 0);
    return asked ? "What was answered as more was asked." : "Nothing was measured.";
  }
  const unit = `answers a second ${most.load === null ? "at most" : `with ${loadWords(most.load)}`}`;
  const said = limits.map((limit, index) => {
    const name = targetOf(facts, limit.target)?.spoken ?? limit.target;
    if (limit.value === null) {
      return `${name}: ${limitWords(limit)}`;
    }
    return `${name} ${limitWords(limit)}${index === 0 ? ` ${unit}` : ""}`;
  });
  return `${said.join(", ")}.`;
}

/** Writes from how many requests at a time on they wait for one another. */
export function waitWords(queuesFrom: number | null): string {
  return queuesFrom === null ? "none seen" : `${queuesFrom} at a time`;
}
