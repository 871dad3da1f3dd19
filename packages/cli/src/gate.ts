// The conditions of --fail-on: what they find in a comparison, in words, as an exit code and as tests.
import { terminalLine } from "@evenbench/core";
import { formatBytes, listed } from "@evenbench/page";
import {
  type Asked,
  type Change,
  type Facts,
  type FailOn,
  type GateResult,
  gate,
  type Judged,
  smallestFound,
  type Unmeasured,
  verdictWords,
  wasCompared,
} from "@evenbench/report";
import type { Limit } from "@evenbench/results";
import type { PlanChoices } from "@evenbench/results/run-options";
import { ExitCode } from "./exit.ts";
import { type JudgedLine, type Judgement, judgeByLimit, linesOf, placeName } from "./limits.ts";
import { APP_START_UPS } from "./own-app-options.ts";
import { sayNote } from "./say.ts";
import { timeToDecide } from "./time-to-decide.ts";

/** What is said of each quantity that a condition may ask. */
interface AskedWords {
  /** As it is typed before a verdict, with a blank. */
  readonly typed: string;
  /** Behind a verdict, with a blank. */
  readonly by: string;
  /** What the run would have found, up to its amount; empty where that has none. */
  readonly found: string;
  /** What a target lacks of which nothing can be said. */
  readonly lacks: string;
  /** How a condition that stays open may be decided. */
  decide(facts: Facts, open: readonly Judged[], failOn: FailOn): string;
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
    decide: () => "Measure more starts (--cold). What takes no more than the start of nothing stays open.",
  },
  memory: {
    typed: "memory ",
    by: "",
    found: "",
    lacks: "reading of its memory",
    decide: () => "Measure it again. What stays unclear may be a cache that fills.",
  },
};

/** Gives the words for what a condition asks. */
function wordsOf({ of = "time" }: FailOn): AskedWords {
  return WORDS[of];
}

/**
 * Says which slowdown, or which rise of CPU time, would have been found on each target in every case, and whether that is
 * enough for the condition; null where no comparison has an interval.
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

/**
 * Judges what was measured: which changes would have been found, and why a condition is met or cannot be ruled out. One
 * condition that is met is enough to fail, and one that is open leaves all open.
 *
 * @param isWhole false where not all was measured: that is a failure without conditions, and leaves any condition open.
 */
export function judge(facts: Facts, { failOn = [], limits = [] }: Conditions, isWhole: boolean): Judgement {
  if (failOn.length + limits.length === 0) {
    return { code: isWhole ? ExitCode.done : ExitCode.failed, lines: [] };
  }
  const judgements = [
    ...failOn.map((condition) => judgeByGate(facts, condition)),
    ...limits.map((limit) => judgeByLimit(facts, limit)),
  ];
  const lines = judgements.flatMap((judgement) => judgement.lines);
  const codes = judgements.map(({ code }) => code);
  if (codes.includes(ExitCode.failed)) {
    return { code: ExitCode.failed, lines };
  }
  const isDone = isWhole && !codes.includes(ExitCode.undecided);
  return { code: isDone ? ExitCode.done : ExitCode.undecided, lines };
}

/** Judges what was measured, says why on standard error, and gives the exit code. */
export function exitCodeOf(facts: Facts, conditions: Conditions, isWhole: boolean): number {
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

/** Tells whether a case may end as soon as its CPU time is decided: no condition asks its time. */
export function endsOnCpuTime(failOn: readonly FailOn[] = []): boolean {
  return failOn.every(({ of = "time" }) => of !== "time");
}

/**
 * Gives what a run measures beside requests so that conditions can be judged: what was chosen, and what they ask.
 *
 * @param failOn the conditions.
 */
export function measuredFor(
  failOn: readonly FailOn[] = [],
  { startUps = 0, memory = false }: { readonly startUps?: number | undefined; readonly memory?: boolean },
): Pick<PlanChoices, "startUps" | "memory"> {
  const asks = (what: Asked) => failOn.some(({ of }) => of === what);
  return {
    startUps: asks("start-up") && startUps === 0 ? APP_START_UPS : startUps,
    memory: memory || asks("memory"),
  };
}

/** Writes a condition as it is typed: "cpu slower 5 %". */
export function conditionText(failOn: FailOn): string {
  return `${wordsOf(failOn).typed}${failOn.verdict} ${askedOf(failOn)}`;
}

/** Says what a condition found, a line each, and gives its exit code. */
function judgeByGate(facts: Facts, failOn: FailOn): Judgement {
  const result = gate(facts, failOn);
  const power = powerLine(facts, failOn);
  const lines = [...linesOf("note", power === null ? [] : [power]), ...gateLines(facts, failOn, result)];
  if (result.met.length > 0) {
    return { code: ExitCode.failed, lines };
  }
  const isRuledOut = result.open.length + result.unknown.length + result.absent.length === 0;
  return { code: isRuledOut && result.asked > 0 ? ExitCode.done : ExitCode.undecided, lines };
}

function gateLines(facts: Facts, failOn: FailOn, result: GateResult): readonly JudgedLine[] {
  const { met, unknown, absent, asked } = result;
  const open = result.open.filter(wasCompared);
  const left = result.open.filter((judged) => !open.includes(judged));
  const { by, lacks, decide } = wordsOf(failOn);
  const [is, may] =
    failOn.verdict === "grows" ? ["grows", "may grow"] : [`is ${failOn.verdict}`, `may be ${failOn.verdict}`];
  const unlike = open.filter(({ why }) => why === "unlike-runs");
  const isOpen = result.open.length + unknown.length + absent.length > 0;
  const asks = `${may}${by} by ${askedOf(failOn)}`;
  const openWords = (judged: Judged) =>
    judged.verdict === "none"
      ? `${nameOf(facts, judged)} has no verdict (${verdictWords(judged)}), so it ${asks}.`
      : `${nameOf(facts, judged)} ${asks}: ${verdictWords(judged)}.`;
  const isNothing = asked === 0 && !isOpen;
  return [
    ...linesOf(
      "met",
      met.map((judged) => `${nameOf(facts, judged)} ${is}${by}: ${verdictWords(judged)}.`),
    ),
    ...linesOf("failed", [
      ...left.map(openWords),
      ...unknown.map((place) => `${nameOf(facts, place)} has no ${lacks}${whyNot(facts, place)}.`),
      ...absent.map((column) => `${column} was not compared, so nothing can be said of it.`),
    ]),
    ...linesOf("open", [
      ...open.filter((judged) => !unlike.includes(judged)).map(openWords),
      ...(unlike.length > 0
        ? [`${unlike.length} of ${asked} comparisons may not be made, for the reasons above.`]
        : []),
      ...(isNothing ? ["--fail-on has nothing to act on: nothing was compared."] : []),
    ]),
    ...linesOf("note", [
      // What was not compared at all is decided by no longer run.
      ...(met.length === 0 && open.length + unknown.length > 0
        ? [unlike.length > 0 ? MEASURE_ALIKE : decide(facts, open, failOn)]
        : []),
    ]),
  ];
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

/** Says what decides more: a time, or other cases. Those of the repository are named by --case, and paths by --path. */
function measureLonger(facts: Facts, open: readonly Judged[], failOn: FailOn): string {
  const option = facts.cases.some(({ path }) => path === null) ? "--case" : "--path";
  const ms = timeToDecide(facts, open, failOn);
  const time = ms === null ? "--time" : `--time ${ms / 1000}s`;
  return `Measure longer (${time}), or name by ${option} only what both states do.`;
}

/** Names what a change is of. A start is of no case. */
function nameOf(facts: Facts, { case: caseId, target }: Unmeasured): string {
  const column = facts.targets.find(({ name }) => name === target)?.column ?? target;
  return placeName(facts, column, caseId);
}
