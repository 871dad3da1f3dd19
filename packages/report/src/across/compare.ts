import { EVENBENCH } from "@evenbench/core/called";
import {
  firstLine,
  fittedTable,
  formatBytes,
  formatChange,
  formatMs,
  markedChange,
  markWords,
  terminalOptions,
  wrap,
} from "@evenbench/page";
import type { Run, SummaryRow } from "@evenbench/results";
import {
  type Cell,
  CONFIDENCE_LEVEL,
  type Comparison,
  EQUIVALENCE_LEVEL,
  endsOf,
  exponentiate,
  fitTwoWay,
  type IntervalEnds,
  intervalOf,
  isJudged,
  priorOf,
  priorOfCases,
  type RatioInterval,
  type Verdict,
  verdictOf,
} from "@evenbench/stats";
import { coreDivision, coresWords } from "../names.ts";
import { changesOf } from "../sentences.ts";
import { readSummarised, type SummarisedRun } from "../summarised.ts";
import * as series from "./series.ts";

/** The change of one number of a target between two states. */
export interface JudgedChange {
  /** after / before; null where a state has fewer than two trials, or no result. */
  readonly ratio: RatioInterval | null;
  /** The ends of the ratio's 90 % interval, by which sameness is judged; null where there is no ratio. */
  readonly equivalence: IntervalEnds | null;
  /** The verdict on the ratio; null where there is an objection, and nobody asked for a verdict all the same. */
  readonly verdict: Verdict | null;
}

/** The change of a target's time, by the case's headline, and of its CPU time. */
export interface TargetChange extends JudgedChange {
  readonly caseId: string;
  readonly target: string;
  /** The change of its CPU time; null where the system does not account for it. */
  readonly cpu: JudgedChange | null;
}

/** A target in one case, with its times in both runs. */
export interface ComparedRow extends TargetChange {
  /** Time in the run before, by the case's headline, in milliseconds. */
  readonly before: series.MedianTime;
  /** Time in the run after, by the case's headline, in milliseconds. */
  readonly after: series.MedianTime;
}

/**
 * A case, or a target, of two plans that cannot be compared, since one of the runs has no whole measurement
 * of it.
 */
export interface Unmeasured {
  /** Id of the case; null where a target has no part in a whole run. */
  readonly caseId: string | null;
  /** Name of the target; null where no target answered the case in either run. */
  readonly target: string | null;
  /** The measurement that is missing, and from which run: a sentence or more. */
  readonly why: string;
}

/** The comparison of the same targets in two runs. */
export interface RunComparison {
  /** The run before, as it was named. */
  readonly before: Run;
  /** The run after, as it was named. */
  readonly after: Run;
  /** Rows in the order of the newer run. */
  readonly rows: readonly ComparedRow[];
  /** Empty where each case has times of each of its targets in both runs. */
  readonly unmeasured: readonly Unmeasured[];
  /** Why the runs, or some of their cases, cannot be held against one another: a sentence each. */
  readonly objections: readonly string[];
  /** Facts that a reader must know before any number: a sentence each. */
  readonly caveats: readonly string[];
}

/**
 * Compares the same targets in two runs. Damaged, unfinished and unequal ones have no verdict, unless it is asked for.
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(
  beforeFolder: string,
  afterFolder: string,
  { anyway = false }: series.AcrossOptions = {},
): Promise<RunComparison> {
  const summarisedBefore = await readSummarised(beforeFolder);
  const summarisedAfter = await readSummarised(afterFolder);
  const pair = [summarisedBefore, summarisedAfter];
  const before = summarisedBefore.run;
  const after = summarisedAfter.run;
  const unmeasured = unmeasuredIn(summarisedBefore, summarisedAfter);
  const isUnmeasured = (caseId: string, target: string) =>
    unmeasured.some((missing) => missing.caseId === caseId && missing.target === target);
  const ofRuns = pair.flatMap(({ run, summary }) =>
    series.objectionsTo(run, summary.damage).map((objection) => `${run.id}: ${objection}`),
  );
  const pairsOf = (matches: (row: SummaryRow) => boolean): readonly RowPair[] =>
    series.historyByTarget(pair, matches).flatMap(({ caseId, target, points }) => {
      const [then, now] = points.map(({ row }) => row);
      if (then === undefined || now === undefined || isUnmeasured(caseId, target)) {
        return [];
      }
      const scatter = after.plan.cases.find(({ id }) => id === caseId)?.scatter;
      const objections = [...ofRuns, ...series.unequal(caseId, before, after)];
      return [{ before: then, after: now, scatter, objections }];
    });
  const pairs = pairsOf(series.isTime);
  const ofCpu = judgedRows(pairsOf(series.isCpuTime), anyway);
  return {
    before,
    after,
    rows: judgedRows(pairs, anyway).map((row): ComparedRow => {
      const cpu = ofCpu.find(({ caseId, target }) => caseId === row.caseId && target === row.target);
      return { ...row, cpu: cpu === undefined ? null : judgedChangeOf(cpu) };
    }),
    unmeasured,
    objections: [...new Set([...ofRuns, ...pairs.flatMap(({ objections }) => objections)])],
    caveats: [
      ...pair.flatMap(({ run, summary: { unproven } }) =>
        unproven === undefined ? [] : [`${run.id}: ${unproven}`],
      ),
      ...orderOf(before, after),
      "The runs did not take turns: what changed on the machine between them is in these ratios, and in no interval.",
      ...series.unlike(
        settingOf(before),
        settingOf(after),
        (what, then, now) => `${what} differs: ${then} before, ${now} after.`,
      ),
    ],
  };
}

/** Warns where the later run was named as the one before: each verdict then reads as its opposite. */
function orderOf(before: Run, after: Run): readonly string[] {
  return Date.parse(before.startedAt) > Date.parse(after.startedAt)
    ? [`${before.id} began after ${after.id}: the first one named is taken for the run before.`]
    : [];
}

/** Lists each target that was planned for a case in either run, and has no whole measurement of it in one of them. */
function unmeasuredIn(before: SummarisedRun, after: SummarisedRun): readonly Unmeasured[] {
  const runs = [before, after];
  const caseIds = [...new Set(runs.flatMap(({ run }) => run.plan.cases.map(({ id }) => id)))];
  const ofCases = caseIds.flatMap((caseId): readonly Unmeasured[] => {
    const targets = targetsOfCase(caseId, runs);
    if (targets.length === 0) {
      const why = `No target answered it: ${runs.map((summarised) => whyCaseFailed(summarised, caseId)).join(" ")}`;
      return [{ caseId, target: null, why }];
    }
    return targets.flatMap((target) => {
      const reasons = runs.flatMap((summarised) => whyNotWhole(summarised, caseId, target) ?? []);
      const headlines = new Set(runs.map((summarised) => timeRowOf(summarised, caseId, target)?.metric));
      if (reasons.length === 0 && headlines.size > 1) {
        reasons.push("One run judges it by the first byte, the other by the last byte.");
      }
      return reasons.length === 0 ? [] : [{ caseId, target, why: reasons.join(" ") }];
    });
  });
  const named = new Set(ofCases.map(({ target }) => target));
  const unbuilt = runs.flatMap(({ run }) =>
    run.events.flatMap(({ kind, target }): readonly Unmeasured[] =>
      kind !== "build-failed" || target === null || named.has(target)
        ? []
        : [{ caseId: null, target, why: `It could not be built for ${run.id}.` }],
    ),
  );
  return [...ofCases, ...unbuilt];
}

/** Lists the targets of the apps that answered a case in either run: apps have cases of their own. */
function targetsOfCase(caseId: string, runs: readonly SummarisedRun[]): readonly string[] {
  const planned = runs.flatMap(({ run }) => run.plan.targets.filter(({ copyOf }) => copyOf === null));
  const seen = runs.flatMap(({ summary }) => summary.rows.filter((row) => row.caseId === caseId));
  const appOf = (name: string) => planned.find((target) => target.name === name)?.app;
  const apps = new Set(seen.map(({ target }) => appOf(target)));
  return [...new Set(planned.filter(({ app }) => apps.has(app)).map(({ name }) => name))];
}

/** Finds the row of a target's time in a case; undefined where the run has no measured answer of it. */
function timeRowOf({ summary }: SummarisedRun, caseId: string, target: string): SummaryRow | undefined {
  return summary.rows.find(
    (row) => row.caseId === caseId && row.target === target && series.isTime(row) && row.exchanges > 0,
  );
}

/** Says why a run has no whole measurement of a target in a case, as sentences; null where it has. */
function whyNotWhole(summarised: SummarisedRun, caseId: string, target: string): string | null {
  const { run } = summarised;
  const { cases, targets } = run.plan;
  if (!cases.some(({ id }) => id === caseId)) {
    return `The case is not in ${run.id}.`;
  }
  if (!targets.some(({ name }) => name === target)) {
    return `The target is not in ${run.id}.`;
  }
  const dropped = run.events.find(
    (event) => event.kind === "target-dropped" && event.caseId === caseId && event.target === target,
  );
  if (dropped !== undefined) {
    return `In ${run.id} ${sentence(dropped.detail)}`;
  }
  if (timeRowOf(summarised, caseId, target) !== undefined) {
    return null;
  }
  return `${run.id} has no measured answer of it.`;
}

/** Says why a run has no answer to a case, as a sentence. */
function whyCaseFailed({ run }: SummarisedRun, caseId: string): string {
  if (!run.plan.cases.some(({ id }) => id === caseId)) {
    return `The case is not in ${run.id}.`;
  }
  const failed = run.events.find((event) => event.kind === "case-failed" && event.caseId === caseId);
  return failed === undefined
    ? `${run.id} has no measured answer.`
    : `In ${run.id} ${sentence(failed.detail)}`;
}

/** Gives the first line of an event's detail, which may quote a log, as a sentence. */
function sentence(detail: string): string {
  return firstLine(detail).replace(/[.:]?$/, ".");
}

/** The columns of a row that say what it is of: case and target. */
const NAMING_COLUMNS = 2;

/** The rows of one target in one case, of two runs. */
interface RowPair {
  readonly before: SummaryRow;
  readonly after: SummaryRow;
  /** The usual standard deviation between the case's instances, as a fraction; undefined: it has none. */
  readonly scatter: number | undefined;
  /** Why the two cannot be held against one another: a sentence each. */
  readonly objections: readonly string[];
}

/** Leaves of a row's change everything else out. */
function judgedChangeOf({ ratio, equivalence, verdict }: JudgedChange): JudgedChange {
  return { ratio, equivalence, verdict };
}

/** Compares pairs by the model of a run's own comparisons, without what trials share: here none has both. */
function judgedRows(pairs: readonly RowPair[], anyway: boolean): readonly Omit<ComparedRow, "cpu">[] {
  const fitted = pairs.map(({ before, after, scatter, objections }) => {
    const cells = Object.entries({ before, after }).flatMap(([target, { trialMs }]) =>
      trialMs.map((ms): Cell => ({ target, block: "all", value: Math.log(ms) })),
    );
    return { before, after, isComparable: anyway || objections.length === 0, scatter, fit: fitTwoWay(cells) };
  });
  const prior = priorOfCases(fitted);
  return fitted.map(({ before, after, isComparable, scatter, fit }) => {
    const hasEnough = [before, after].every(({ trialMs }) => trialMs.length > 1);
    const difference = hasEnough ? fit.difference(["after"], ["before"]) : null;
    const priorOfCase = priorOf({ scatter }, prior);
    const at = (level: number) =>
      difference && exponentiate(intervalOf(difference, fit, { prior: priorOfCase, level }));
    const ratio = at(CONFIDENCE_LEVEL);
    const equivalence = at(EQUIVALENCE_LEVEL);
    const isCold = before.notWarm !== null || after.notWarm !== null;
    const judged: Verdict =
      ratio === null || equivalence === null ? "unclear" : verdictOf(ratio, equivalence);
    const warmOrNot = isCold ? "not warm" : judged;
    return {
      caseId: after.caseId,
      target: after.target,
      before: series.medianTimeOf(before),
      after: series.medianTimeOf(after),
      ratio,
      equivalence: ratio === null ? null : endsOf(equivalence),
      verdict: isComparable ? warmOrNot : null,
    };
  });
}

/** Lists the facts that should be equal where only the targets changed, by name. */
function settingOf(run: Run): series.Facts {
  const { machine, identities } = run;
  const pins = Object.entries(identities).flatMap(([target, { pins }]) =>
    Object.entries(pins).map(([name, value]) => [`The setting "${name}" of ${target}`, value] as const),
  );
  return new Map([
    ["The machine", machine?.cpuModel ?? "several vantages"],
    ["What could be used of the cores", machine === null ? "unknown" : coresWords(machine)],
    ["The limit of memory", limitOfMemory(machine)],
    ["The use of cores", machine === null ? "unknown" : coreDivision(machine)],
    ...series.versionFacts(run),
    ...pins,
  ]);
}

function limitOfMemory(machine: Run["machine"]): string {
  const bytes = machine?.limits?.memoryBytes ?? null;
  return bytes === null ? "none" : formatBytes(bytes);
}

/**
 * Writes a comparison for a terminal, in lines of at most `width` columns: a table, objections, caveats, and the
 * changes in sentences.
 */
export function renderComparison(comparison: RunComparison, { width } = terminalOptions()): string {
  const { before, after, rows, unmeasured, objections, caveats } = comparison;
  const judged = rows.flatMap(({ verdict, cpu, ...row }) =>
    verdict === null ? [] : [{ ...row, verdict, cpu: judgedOrNull(cpu) }],
  );
  const hasCpu = rows.some(({ cpu }) => judgedOrNull(cpu) !== null);
  const cells = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId ? "" : row.caseId,
    row.target,
    formatMs(row.before.estimate),
    formatMs(row.after.estimate),
    formatChange(row.ratio),
    row.verdict === null ? "not given" : markWords(row.verdict),
    ...(hasCpu ? [markedChange(row.cpu ?? undefined)] : []),
  ]);
  const missing = unmeasured.map(({ caseId, target }) => [
    caseId ?? "–",
    target ?? "–",
    "–",
    "–",
    "–",
    markWords("no result"),
    ...(hasCpu ? ["–"] : []),
  ]);
  const head = [
    "case",
    "target",
    "before",
    "after",
    "change (99 % interval)",
    "verdict",
    ...(hasCpu ? ["CPU time"] : []),
  ];
  const levels = hasCpu ? "medians (of CPU time: means)" : "medians";
  const times = `Times: geometric mean of the trials' ${levels}, as each run's own report has them.`;
  const notJudged = `So there is no verdict. For before and after let one command measure both in turns: \`${EVENBENCH} against main\`. Or measure both completely, with the same settings, or pass --anyway.`;
  const remarks = [
    ...unmeasured.map(describeUnmeasured),
    ...objections,
    ...(judged.length < rows.length ? [notJudged] : []),
    ...caveats,
  ];
  const lines = [
    ...[...changesOf(judged), `Before: ${before.id}. After: ${after.id}.`].flatMap((line) =>
      wrap(line, width, 2),
    ),
    "",
    ...(rows.length === 0 ? ["The runs share no case and target of which both have times."] : []),
    ...(rows.length + unmeasured.length === 0
      ? []
      : [...fittedTable({ head, rows: [...cells, ...missing], numeric: [2, 3] }, width, NAMING_COLUMNS), ""]),
    ...(rows.length === 0 ? [] : wrap(times, width, 0)),
    "",
    ...remarks.flatMap((remark) => wrap(`! ${remark}`, width, 2)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Writes what is not measured: "b in /x has no result: ...". */
export function describeUnmeasured({ caseId, target, why }: Unmeasured): string {
  const names = [target, caseId].filter((name) => name !== null);
  return `${names.join(" in ")} has no result: ${why}`;
}

/** Gives a change as a comparison; null where it has no verdict. */
export function judgedOrNull(change: JudgedChange | null): Pick<Comparison, "verdict" | "ratio"> | null {
  return change === null || change.verdict === null ? null : { verdict: change.verdict, ratio: change.ratio };
}

/** A condition that a check of a change fails on. */
export interface FailOn {
  /** Which number is looked at. Default: "time". */
  readonly of?: "time" | "CPU time";
  readonly verdict: "slower" | "faster";
  /** Smallest change that counts, as a fraction. */
  readonly by: number;
}

/** Gives the part of a target's change that a condition is about; null where its CPU time is not known. */
export function askedChange(row: TargetChange, { of }: FailOn): JudgedChange | null {
  return of === "CPU time" ? row.cpu : row;
}

/** Finds the rows in which a condition is met. */
export function failingRows<Row extends TargetChange>(rows: readonly Row[], failOn: FailOn): readonly Row[] {
  return rows.filter((row) => {
    const change = askedChange(row, failOn);
    return change?.ratio != null && isMet(change, change.ratio, failOn);
  });
}

/** Finds the rows of which nobody can say that the condition is not met, and in which it is not met. */
export function undecidedRows<Row extends TargetChange>(
  rows: readonly Row[],
  failOn: FailOn,
): readonly Row[] {
  return rows.filter((row) => {
    const { verdict = null, ratio = null, equivalence = null } = askedChange(row, failOn) ?? {};
    if (ratio === null || (verdict !== null && !isJudged(verdict))) {
      return true;
    }
    if (isMet({ verdict }, ratio, failOn)) {
      return false;
    }
    // "same" is said within 5 %, and the condition may ask for less.
    if (verdict === "same") {
      return reaches(equivalence ?? ratio, failOn);
    }
    return verdict === "unclear" && reaches(ratio, failOn);
  });
}

/** Tells whether a change is so large, and of the verdict that is asked for. */
function isMet(
  { verdict: given }: Pick<JudgedChange, "verdict">,
  ratio: RatioInterval,
  { verdict, by }: FailOn,
): boolean {
  const isSlower = verdict === "slower";
  const isBeyond = isSlower ? ratio.estimate >= 1 + by : ratio.estimate <= 1 - by;
  const isToOneSide = isSlower ? ratio.low > 1 : ratio.high < 1;
  return isBeyond && (given === verdict || (given === "same" && isToOneSide));
}

/** Tells whether some of the interval is where the condition is met. */
function reaches(ratio: IntervalEnds, { verdict, by }: FailOn): boolean {
  return verdict === "slower" ? ratio.high >= 1 + by : ratio.low <= 1 - by;
}
