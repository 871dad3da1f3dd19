// The conditions of --fail-on: what they find in a comparison, in words, as an exit code and as tests.
import { terminalLine } from "@evenbench/core";
import { listed } from "@evenbench/page";
import {
  type Change,
  cell,
  type Facts,
  type FailOn,
  type GateResult,
  gate,
  smallestFound,
  type TestSuite,
} from "@evenbench/report";
import { ExitCode } from "./exit.ts";
import { sayNote } from "./say.ts";

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
  const what = failOn.of === "CPU time" ? "a rise of CPU time" : "a slowdown";
  const found = `In every case the run would have found ${what} of ${listed(parts)}`;
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

/** Writes the amount of a condition as it was typed: "5 %". */
function askedOf({ by }: FailOn): string {
  return `${Number((by * 100).toPrecision(6))} %`;
}

/**
 * Gives the exit code of what was measured, and says on standard error which changes would have been found, and why a
 * condition is met or cannot be ruled out. One condition that is met is enough to fail, and one that is open leaves all open.
 *
 * @param isWhole false where not all was measured: that is a failure without conditions, and leaves any condition open.
 */
export function exitCodeOf(facts: Facts, failOn: readonly FailOn[], isWhole: boolean): number {
  if (failOn.length === 0) {
    return isWhole ? ExitCode.done : ExitCode.failed;
  }
  const codes = failOn.map((condition) => exitByGate(facts, condition));
  if (codes.includes(ExitCode.failed)) {
    return ExitCode.failed;
  }
  return isWhole && !codes.includes(ExitCode.undecided) ? ExitCode.done : ExitCode.undecided;
}

/** Tells whether a case may end as soon as its CPU time is decided: no condition asks its time. */
export function endsOnCpuTime(failOn: readonly FailOn[] = []): boolean {
  return failOn.every(({ of }) => of === "CPU time");
}

/** Gives what conditions found as tests, a suite for each. */
export function testSuites(facts: Facts, failOn: readonly FailOn[]): readonly TestSuite[] {
  return failOn.map((condition) => {
    const { met, open, unknown, ruledOut, absent, asked } = gate(facts, condition);
    const isEmpty = asked + unknown.length + absent.length === 0;
    const metric = condition.of === "CPU time" ? "cpu " : "";
    return {
      name: `${metric}${condition.verdict} ${askedOf(condition)}`,
      failed: met,
      skipped: [...open, ...unknown],
      passed: ruledOut,
      // A suite without a test would be taken for a success.
      absent: isEmpty ? originalsOf(facts) : absent,
    };
  });
}

/** Lists the columns of all targets but copies, each once. */
function originalsOf({ targets }: Facts): readonly string[] {
  return [...new Set(targets.flatMap(({ copyOf, column }) => (copyOf === null ? [column] : [])))];
}

/** Says what a condition found, a line each, and gives its exit code. */
function exitByGate(facts: Facts, failOn: FailOn): number {
  const result = gate(facts, failOn);
  const power = powerLine(facts, failOn);
  for (const line of [...(power === null ? [] : [power]), ...gateLines(facts, failOn, result)]) {
    sayNote(`evenbench: ${terminalLine(line)}`);
  }
  if (result.met.length > 0) {
    return ExitCode.failed;
  }
  const isRuledOut = result.open.length + result.unknown.length + result.absent.length === 0;
  return isRuledOut && result.asked > 0 ? ExitCode.done : ExitCode.undecided;
}

function gateLines(facts: Facts, failOn: FailOn, result: GateResult): readonly string[] {
  const { met, open, unknown, absent, asked } = result;
  const of = failOn.of === "CPU time" ? " by CPU time" : "";
  const asks = `${failOn.verdict}${of} by ${askedOf(failOn)}`;
  const unlike = open.filter(({ why }) => why === "unlike-runs");
  const isOpen = open.length + unknown.length + absent.length > 0;
  const openWords = (change: Change) =>
    change.verdict === "none"
      ? `${nameOf(facts, change)} has no verdict (${cell(change)}), so it may be ${asks}.`
      : `${nameOf(facts, change)} may be ${asks}: ${cell(change)}.`;
  return [
    ...met.map((change) => `${nameOf(facts, change)} is ${failOn.verdict}${of}: ${cell(change)}.`),
    ...open.filter((change) => !unlike.includes(change)).map(openWords),
    ...unknown.map((change) => `${nameOf(facts, change)} has no CPU time, so nothing can be said of it.`),
    ...absent.map((column) => `${column} was not compared, so nothing can be said of it.`),
    ...(unlike.length > 0
      ? [`${unlike.length} of ${asked} comparisons may not be made, for the reasons above.`]
      : []),
    ...(asked === 0 && !isOpen ? ["--fail-on has nothing to act on: nothing was compared."] : []),
    ...(met.length === 0 && isOpen ? [unlike.length > 0 ? MEASURE_ALIKE : MEASURE_LONGER] : []),
  ];
}

const MEASURE_ALIKE =
  "Measure two runs completely, with the same settings, or let `against` measure both states in turns.";
const MEASURE_LONGER = "Measure longer (--time), or leave out by --case what both states do not do.";

/** Names what a change is of, as it can be typed. */
function nameOf(facts: Facts, { case: caseId, target }: Change): string {
  const column = facts.targets.find(({ name }) => name === target)?.column ?? target;
  return `${column} in ${facts.cases.find(({ id }) => id === caseId)?.path ?? caseId}`;
}
