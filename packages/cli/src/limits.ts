// The limits of a settings file: what they find in a run.
import {
  amount,
  caseName,
  type Facts,
  type Limited,
  limited,
  type StateLimit,
  type TestSuite,
} from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import { ExitCode } from "./exit.ts";

/** What conditions found: an exit code, and why, a line each. */
export interface Judgement {
  readonly code: number;
  readonly lines: readonly JudgedLine[];
}

/** A line of what conditions found. */
export interface JudgedLine {
  /**
   * "met": a condition is met. "failed": something was not measured to its end, or not compared. "open": nobody can say whether a condition is
   * met. "note": what goes with these.
   */
  readonly kind: "met" | "failed" | "open" | "note";
  readonly text: string;
}

/** Makes lines of one kind. */
export function linesOf(kind: JudgedLine["kind"], texts: readonly string[]): readonly JudgedLine[] {
  return texts.map((text) => ({ kind, text }));
}

/** The quantity of each word, and its name in a sentence. */
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

/** Milliseconds or bytes by unit. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, kB: 1000, MB: 1e6 };

/** Judges what was measured by a limit. */
export function judgeByLimit(facts: Facts, limit: Limit): Judgement {
  const found = limitedBy(facts, limit);
  const saying = (standing: Limited["standing"], what: string) =>
    found
      .filter((each) => each.standing === standing)
      .map((each) => `${placeName(facts, each.column, each.case)} ${what} its limit: ${whyOf(limit, each)}.`);
  const above = saying("above", "is above");
  const open = found.length === 0 ? [nothingOf(limit)] : saying("open", "may be above");
  const lines = [...linesOf("met", above), ...linesOf("open", open)];
  if (above.length > 0) {
    return { code: ExitCode.failed, lines };
  }
  return { code: open.length > 0 ? ExitCode.undecided : ExitCode.done, lines };
}

const OUTCOMES = { above: "failed", open: "skipped", below: "passed" } as const;

/** Gives what a limit found as tests. */
export function suiteByLimit(facts: Facts, limit: Limit): TestSuite {
  const { what, most, target = "all" } = limit;
  const tests = limitedBy(facts, limit).map((each) => ({
    column: each.column,
    name: caseName(facts, each.case),
    outcome: OUTCOMES[each.standing],
    why: whyOf(limit, each),
  }));
  const nothing = {
    column: target,
    name: limit.path ?? null,
    outcome: "skipped",
    why: nothingOf(limit),
  } as const;
  return { name: `${what} at most ${most}`, tests: tests.length === 0 ? [nothing] : tests };
}

function limitedBy(facts: Facts, { what, most, path, target }: Limit): readonly Limited[] {
  const { metric, of } = QUANTITIES[what];
  const [, number = "", unit = ""] = /^([\d.]+)\s*(\w+)$/.exec(most) ?? [];
  const amountOfMost = Number(number) * (UNITS[unit] ?? Number.NaN);
  return limited(facts, { metric, of, most: amountOfMost, path: path ?? null, target: target ?? null });
}

/** Says what was measured of what a limit is of. */
function whyOf({ what, most }: Limit, { value, standing }: Limited): string {
  const { metric, words } = QUANTITIES[what];
  if (value === null) {
    return `${words} was not measured`;
  }
  const measured = `${words} ${amount(metric === "gzipBytes" ? "memoryBytes" : metric, value)}`;
  return standing === "open"
    ? `${measured}, whose interval reaches over ${most}`
    : `${measured}, and ${most} at most`;
}

function nothingOf({ what }: Limit): string {
  return `A limit of ${QUANTITIES[what].words} has nothing to act on: no such path or target was measured.`;
}

/** Names a target, in a case or in all. */
export function placeName(facts: Facts, column: string, caseId: string | null): string {
  const name = caseName(facts, caseId);
  return name === null ? column : `${column} in ${name}`;
}
