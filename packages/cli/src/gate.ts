// The conditions of --fail-on: what they find in a comparison, in words, as an exit code and as tests.
import { advising, terminalLine } from "@evenbench/core";
import { formatBytes, listed } from "@evenbench/page";
import {
  type Asked,
  type Change,
  type ConditionTest,
  caseName,
  conditionTest,
  type Facts,
  type FailOn,
  gate,
  type Judged,
  smallestFound,
  type Unmeasured,
  verdictWords,
  wasCompared,
} from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import { ExitCode } from "./exit.ts";
import { type Checked, checkByLimit, type JudgedLine, type Judgement, linesOf, placeName } from "./limits.ts";
import { sayNote } from "./say.ts";
import { timeToDecide } from "./time-to-decide.ts";

interface AskedWords {
  /** As it is typed before a verdict, with a blank. */
  readonly typed: string;
  /** Behind a verdict, with a blank. */
  readonly by: string;
  /** What the run would have found, up to its amount; empty where that has none. */
  readonly found: string;
  /** What a target lacks of which nothing can be said. */
  readonly lacks: string;
  /** How a condition that stays open may be decided; null where nothing helps. */
  decide(facts: Facts, open: readonly Judged[], failOn: FailOn): string | null;
}

const WORDS: Readonly<Record<Asked, AskedWords>> = {
  time: {
    typed: "",
    by: "",
    found: "In every case the run would have found a slowdown of",
    lacks: "time",
    decide: measureLonger,
  },
  "CPU time": {
    typed: "cpu ",
    by: " by CPU time",
    found: "In every case the run would have found a rise of CPU time of",
    lacks: "CPU time",
    decide: measureLonger,
  },
  "start-up": {
    typed: "startup ",
    by: " to start",
    found: "The run would have found a rise of start-up of",
    lacks: "start-up that was measured",
    decide: () =>
      `Measure more starts${advising("--cold", " (--cold)")}. What takes no more than the start of nothing stays open.`,
  },
  memory: {
    typed: "memory ",
    by: "",
    found: "",
    lacks: "reading of its memory",
    decide: () => "Measure it again. What stays unclear may be a cache that fills.",
  },
};

function wordsOf({ of = "time" }: FailOn): AskedWords {
  return WORDS[of];
}

/**
 * Says which rise would have been found on each target in every case, and whether that is enough; null without an
 * interval.
 */
function powerLine(facts: Facts, failOn: FailOn): string | null {
  const smallest = [...smallestFound(facts, failOn.of)];
  if (smallest.length === 0) {
    return null;
  }
  const parts = smallest.map(
    ([column, by]) => `${by > 1 ? "over 100 %" : `${percentOf(by)} %`} on ${column}`,
  );
  const tooCoarse = smallest.flatMap(([column, by]) => (by > failOn.by ? [column] : []));
  const found = `${wordsOf(failOn).found} ${listed(parts)}`;
  if (tooCoarse.length === 0) {
    return `${found}.`;
  }
  const where = tooCoarse.length === smallest.length ? "" : ` on ${listed(tooCoarse)}`;
  return `${found}: too coarse for your ${askedOf(failOn)}${where}.`;
}

/** Writes a fraction in percent, rounded up: what is a little larger than asked is not enough. */
function percentOf(fraction: number): string {
  return String(Math.max(1, Math.ceil(100 * fraction)));
}

/** Writes the amount of a condition: "5 %", "1.00 KB". */
function askedOf({ of, by }: FailOn): string {
  return of === "memory" ? formatBytes(by) : `${Number((by * 100).toPrecision(6))} %`;
}

/** What a check fails on. */
export interface Conditions {
  readonly failOn?: readonly FailOn[];
  readonly limits?: readonly Limit[];
}

/** Holds what was measured against conditions and limits. */
export function checksOf(facts: Facts, { failOn = [], limits = [] }: Conditions): readonly Checked[] {
  return [
    ...failOn.map((condition) => checkByGate(facts, condition)),
    ...limits.map((limit) => checkByLimit(facts, limit)),
  ];
}

/**
 * Judges what was measured: which changes would have been found, and why a condition is met or cannot be ruled out. One
 * condition that is met is enough to fail, and one that is open leaves all open.
 *
 * @param isWhole false where not all was measured: that is a failure without conditions, and leaves any condition open.
 */
export function judge(facts: Facts, conditions: Conditions, isWhole: boolean): Judgement {
  const checks = checksOf(facts, conditions);
  // What would decide two conditions is said once.
  const lines = [...new Map(checks.flatMap(checkedLines).map((line) => [line.text, line])).values()];
  const outcomes = checks.flatMap(({ tests }) => tests.map(({ outcome }) => outcome));
  if (outcomes.includes("failed") || (checks.length === 0 && !isWhole)) {
    return { code: ExitCode.failed, lines };
  }
  const isDone = isWhole && !outcomes.includes("skipped");
  return { code: isDone ? ExitCode.done : ExitCode.undecided, lines };
}

function checkedLines({ tests, found, open, next }: Checked): readonly JudgedLine[] {
  const of = (kind: JudgedLine["kind"]) => tests.flatMap(({ line }) => (line?.kind === kind ? line : []));
  return [
    ...linesOf("note", [found]),
    ...of("met"),
    ...of("failed"),
    ...of("open"),
    ...linesOf("open", open),
    ...linesOf("note", [next]),
  ];
}

/**
 * Judges what was measured or compared, says why on standard error, and gives the exit code.
 *
 * @param isComplete false where it was not measured to its end.
 */
export function exitCodeOf(facts: Facts, conditions: Conditions, isComplete: boolean): number {
  const isWhole =
    isComplete &&
    facts.notices.every(({ weight }) => weight !== "void") &&
    facts.levels.every(({ why }) => why !== "few-requests");
  const { code, lines } = judge(facts, conditions, isWhole);
  sayJudged(lines);
  return code;
}

/** Says on standard error what conditions found. */
export function sayJudged(lines: readonly JudgedLine[]): void {
  for (const { text } of lines) {
    sayNote(`evenbench: ${terminalLine(text)}`);
  }
}

function checkByGate(facts: Facts, failOn: FailOn): Checked {
  const { met, open, unknown, ruledOut, absent, asked } = gate(facts, failOn);
  const { typed, by, lacks, decide } = wordsOf(failOn);
  const { verdict } = failOn;
  const isNothing = asked + unknown.length + absent.length === 0;
  const unlike = open.filter(({ why }) => why === "unlike-runs");
  const [is, may] = verdict === "grows" ? ["grows", "may grow"] : [`is ${verdict}`, `may be ${verdict}`];
  const asks = `${may}${by} by ${askedOf(failOn)}`;
  const openLine = (judged: Judged, name: string): JudgedLine => ({
    kind: wasCompared(judged) ? "open" : "failed",
    text:
      judged.verdict === "none"
        ? `${name} has no verdict (${verdictWords(judged)}), so it ${asks}.`
        : `${name} ${asks}: ${verdictWords(judged)}.`,
  });
  const tests = (
    judged: readonly Judged[],
    outcome: ConditionTest["outcome"],
    lineOf: (judged: Judged, name: string) => JudgedLine | null,
  ) =>
    judged.map((each) => ({
      ...conditionTest(facts, each, outcome, verdictWords(each)),
      line: lineOf(each, nameOf(facts, each)),
    }));
  const compared = open.filter(wasCompared);
  const next = () => (unlike.length > 0 ? MEASURE_ALIKE : decide(facts, compared, failOn));
  const ofColumn = (column: string, line: JudgedLine | null) =>
    ({ column, name: null, outcome: "skipped", why: "not compared", line }) as const;
  return {
    name: `${typed}${verdict} ${askedOf(failOn)}`,
    tests: [
      ...tests(met, "failed", (judged, name) => {
        return { kind: "met", text: `${name} ${is}${by}: ${verdictWords(judged)}.` };
      }),
      ...tests(open, "skipped", (judged, name) => (unlike.includes(judged) ? null : openLine(judged, name))),
      ...tests(ruledOut, "passed", () => null),
      ...unknown.map((place) => ({
        ...conditionTest(facts, place, "skipped", "not measured"),
        line: {
          kind: "failed" as const,
          text: `${nameOf(facts, place)} has no ${lacks}${whyNot(facts, place)}.`,
        },
      })),
      ...absent.map((column) => {
        const text = `${column} was not compared, so nothing can be said of it.`;
        return ofColumn(column, { kind: "failed", text });
      }),
      // A suite without a test would be taken for a success.
      ...(isNothing ? originalsOf(facts).map((column) => ofColumn(column, null)) : []),
    ],
    found: powerLine(facts, failOn),
    open: [
      ...(unlike.length > 0
        ? [`${unlike.length} of ${asked} comparisons may not be made, for the reasons above.`]
        : []),
      ...(isNothing ? ["--fail-on has nothing to act on: nothing was compared."] : []),
    ],
    // What was not compared at all is decided by no longer run.
    next: met.length > 0 || compared.length + unknown.length === 0 ? null : next(),
  };
}

/** Lists the columns of all targets but copies, each once; "all" where there is none. */
function originalsOf({ targets }: Facts): readonly string[] {
  const columns = targets.flatMap(({ copyOf, column }) => (copyOf === null ? [column] : []));
  return columns.length === 0 ? ["all"] : [...new Set(columns)];
}

/** Says why a case has no result, such as " (✕ answers differ)"; empty where it has one by its time. */
function whyNot({ changes }: Facts, place: Unmeasured): string {
  const isOf = ({ role, why, ...of }: Change) =>
    role === "main" && why !== null && of.case === place.case && of.target === place.target;
  const change = changes.find(isOf);
  return change === undefined ? "" : ` (${verdictWords(change)})`;
}

const MEASURE_ALIKE =
  "Measure two runs completely, with the same settings, or let `against` measure both states in turns.";

/**
 * Says what decides more: a time for these cases or paths; null where nothing is open, and where the report names a
 * time.
 */
function measureLonger(facts: Facts, open: readonly Judged[], failOn: FailOn): string | null {
  const [step] = facts.next;
  const isNamed = (judged: Judged) =>
    step?.why === "more-time" && step.cases.some((id) => id === judged.case);
  if (open.every(isNamed)) {
    return null;
  }
  const option = facts.cases.some(({ path }) => path === null) ? "--case" : "--path";
  const ms = timeToDecide(facts, open, failOn);
  const time = ms === null ? "--time" : `--time ${ms / 1000}s`;
  const others = advising(option, `, or name by ${option} only what both states do`);
  return `Measure longer${advising("--time", ` (${time})`)}${others}.`;
}

/** Names what a change is of. A start is of no case. */
function nameOf(facts: Facts, { case: caseId, target }: Unmeasured): string {
  const column = facts.targets.find(({ name }) => name === target)?.column ?? target;
  return placeName(column, caseName(facts, caseId));
}
