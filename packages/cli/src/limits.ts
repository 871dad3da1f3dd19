// The limits of a settings file: what they find in a run.
import {
  amount,
  type ConditionTest,
  caseName,
  type Facts,
  type Limited,
  limited,
  type StateLimit,
  type TestSuite,
} from "@evenbench/report";
import type { Limit } from "@evenbench/results";

/** What conditions found: an exit code, and why, a line each. */
export interface Judgement {
  readonly code: number;
  readonly lines: readonly JudgedLine[];
}

/** A line of what conditions found. */
export interface JudgedLine {
  /**
   * "met": a condition is met. "failed": something was not measured to its end, or not compared. "open": nobody can say
   * whether a condition is met. "note": what goes with these.
   */
  readonly kind: "met" | "failed" | "open" | "note";
  readonly text: string;
  /** What `Reason.quotes` has of logs. Default: nothing. */
  readonly quotes?: readonly string[];
}

/** Makes lines of one kind. */
export function linesOf(kind: JudgedLine["kind"], texts: readonly (string | null)[]): readonly JudgedLine[] {
  return texts.flatMap((text) => (text === null ? [] : { kind, text }));
}

/** What a condition says of a place: as a test of other programs, and as a line. */
interface CheckedPlace extends ConditionTest {
  /** What is said of it; null where nothing is. */
  readonly line: JudgedLine | null;
}

/** What a condition found. */
export interface Checked extends TestSuite {
  readonly tests: readonly CheckedPlace[];
  /** Lines that go with these: what would have been found, what is open of several, and what decides it. */
  readonly found: string | null;
  readonly open: readonly string[];
  readonly next: string | null;
}

const QUANTITIES: Readonly<
  Record<Limit["what"], Pick<StateLimit, "metric" | "of"> & { readonly words: string }>
> = {
  median: { metric: "lastByteMs", of: "value", words: "median time" },
  p95: { metric: "lastByteMs", of: "p95", words: "p95" },
  p99: { metric: "lastByteMs", of: "p99", words: "p99" },
  cpu: { metric: "cpuMs", of: "value", words: "CPU time" },
  startup: { metric: "startupCpuMs", of: "value", words: "CPU time of a start" },
  cold: { metric: "coldStartMs", of: "value", words: "cold start" },
  memory: { metric: "memoryBytes", of: "value", words: "memory" },
  size: { metric: "gzipBytes", of: "value", words: "compressed size" },
};

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, kB: 1000, MB: 1e6 };

const STANDINGS = {
  above: { outcome: "failed", said: { kind: "met", words: "is above" } },
  open: { outcome: "skipped", said: { kind: "open", words: "may be above" } },
  below: { outcome: "passed", said: null },
} as const;

/** Holds what was measured against a limit. */
export function checkByLimit(facts: Facts, limit: Limit): Checked {
  const { what, most, target = "all" } = limit;
  const tests = limitedBy(facts, limit).map(({ column, case: caseId, standing, value }): CheckedPlace => {
    const name = caseName(facts, caseId);
    const why = whyOf(limit, { standing, value });
    const { outcome, said } = STANDINGS[standing];
    const text = `${placeName(column, name)} ${said?.words} its limit: ${why}.`;
    const kind = value === null ? "failed" : said?.kind;
    return { column, name, outcome, why, line: kind === undefined ? null : { kind, text } };
  });
  const why = `A limit of ${QUANTITIES[what].words} has nothing to act on: no such path or target was measured.`;
  const nothing = {
    column: target,
    name: limit.path ?? null,
    outcome: "skipped",
    why,
    line: { kind: "failed", text: why },
  } as const;
  return {
    name: `${what} at most ${most}`,
    tests: tests.length === 0 ? [nothing] : tests,
    found: null,
    open: [],
    next: null,
  };
}

function limitedBy(facts: Facts, { what, most, path, target }: Limit): readonly Limited[] {
  const { metric, of } = QUANTITIES[what];
  const [, number = "", unit = ""] = /^([\d.]+)\s*(\w+)$/.exec(most) ?? [];
  const amountOfMost = Number(number) * (UNITS[unit] ?? Number.NaN);
  return limited(facts, { metric, of, most: amountOfMost, path: path ?? null, target: target ?? null });
}

/** Says what was measured of what a limit is of. */
function whyOf({ what, most }: Limit, { value, standing }: Pick<Limited, "value" | "standing">): string {
  const { metric, words } = QUANTITIES[what];
  if (value === null) {
    return `${words} was not measured`;
  }
  const measured = `${words} ${amount(metric === "gzipBytes" ? "memoryBytes" : metric, value)}`;
  return standing === "open"
    ? `${measured}, whose interval reaches over ${most}`
    : `${measured}, and ${most} at most`;
}

/** Names a target, in a case or in all. */
export function placeName(column: string, caseNamed: string | null): string {
  return caseNamed === null ? column : `${column} in ${caseNamed}`;
}
