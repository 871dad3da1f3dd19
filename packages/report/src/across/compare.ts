import { terminalLine } from "@evenbench/core";
import type { Run, SummaryRow } from "@evenbench/results";
import {
  asRatio,
  type Cell,
  fitTwoWay,
  intervalOf,
  judge,
  priorOf,
  priorOfCases,
  type Verdict,
} from "@evenbench/stats";
import { readSummarised } from "../analyse-run.ts";
import { changesOf } from "../answer.ts";
import { formatMs, formatRatio } from "../format.ts";
import { markWords } from "../marks.ts";
import { coresOf } from "../names.ts";
import { textTable } from "../table.ts";
import * as series from "./series.ts";

export type RunComparison = Awaited<ReturnType<typeof compareRuns>>;

/**
 * The same targets in two runs. Damaged, unfinished and unequal ones have no verdict, unless it is asked for.
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(
  beforeFolder: string,
  afterFolder: string,
  { anyway = false }: series.AcrossOptions = {},
) {
  const pair = [await readSummarised(beforeFolder), await readSummarised(afterFolder)];
  const [before, after] = pair.map(({ run }) => run) as [Run, Run];
  const ofRuns = pair.flatMap(({ run, summary }) =>
    series.objectionsTo(run, summary.damage).map((objection) => `${run.id}: ${objection}`),
  );
  const pairs = series.coursesOf(pair, series.isTime).flatMap(({ caseId, points }) => {
    const [then, now] = points.map(({ row }) => row);
    if (then === undefined || now === undefined) return [];
    const scatter = after.plan.cases.find(({ id }) => id === caseId)?.scatter;
    const objections = [...ofRuns, ...series.unequal(caseId, before, after)];
    return [{ before: then, after: now, scatter, objections }];
  });
  return {
    before,
    after,
    rows: rowsOf(pairs, anyway),
    /** Why the runs, or some of their cases, cannot be held against one another. */
    objections: [...new Set([...ofRuns, ...pairs.flatMap(({ objections }) => objections)])],
    caveats: [
      ...pair.flatMap(({ run, summary: { unproven } }) =>
        unproven === undefined ? [] : [`${run.id}: ${unproven}`],
      ),
      "The runs did not take turns: what changed on the machine between them is in these ratios, and in no interval.",
      ...series.unlike(
        settingOf(before),
        settingOf(after),
        (what, then, now) => `${what} differs: ${then} before, ${now} after.`,
      ),
    ],
  };
}

interface Pair {
  readonly before: SummaryRow;
  readonly after: SummaryRow;
  readonly scatter: number | undefined;
  readonly objections: readonly string[];
}

/** By the model of a run's own comparisons, without what trials share: here none has both. */
function rowsOf(pairs: readonly Pair[], anyway: boolean) {
  const fitted = pairs.map(({ before, after, scatter, objections }) => {
    const cells = Object.entries({ before, after }).flatMap(([target, { trialMs }]) =>
      trialMs.map((ms): Cell => ({ target, block: "all", value: Math.log(ms) })),
    );
    return { before, after, isJudged: anyway || objections.length === 0, scatter, fit: fitTwoWay(cells) };
  });
  const prior = priorOfCases(fitted);
  return fitted.map(({ before, after, isJudged, scatter, fit }) => {
    const hasEnough = [before, after].every(({ trialMs }) => trialMs.length > 1);
    const difference = hasEnough ? fit.difference(["after"], ["before"]) : null;
    const ratio = difference && asRatio(intervalOf(difference, fit, { prior: priorOf({ scatter }, prior) }));
    const isCold = before.notWarm !== null || after.notWarm !== null;
    const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
    return {
      ...{ caseId: after.caseId, target: after.target },
      ...{ before: series.medianOf(before), after: series.medianOf(after) },
      ratio,
      verdict: !isJudged ? null : isCold ? ("not warm" as const) : judged,
    };
  });
}

function settingOf(run: Run): series.Facts {
  const { machine, identities } = run;
  const pins = Object.entries(identities).flatMap(([target, { pins }]) =>
    Object.entries(pins).map(([name, value]) => [`The setting "${name}" of ${target}`, value] as const),
  );
  return new Map([
    ["The machine", machine?.cpuModel ?? "several vantages"],
    ["The number of cores", String(machine?.cores ?? "unknown")],
    ["The use of cores", machine === null ? "unknown" : coresOf(machine)],
    ...series.versionFacts(run),
    ...pins,
  ]);
}

export function renderComparison({ before, after, rows, objections, caveats }: RunComparison): string {
  const judged = rows.flatMap(({ verdict, ...row }) => (verdict === null ? [] : [{ ...row, verdict }]));
  const cells = rows.map((row, index) => [
    rows[index - 1]?.caseId === row.caseId ? "" : row.caseId,
    row.target,
    formatMs(row.before.estimate),
    formatMs(row.after.estimate),
    formatRatio(row.ratio),
    row.verdict === null ? "not given" : markWords(row.verdict),
  ]);
  const head = ["case", "target", "before", "after", "ratio (99 % interval)", "verdict"];
  const times = "Times: geometric mean of the trials' medians, as each run's own report has them.";
  const notJudged =
    "So there is no verdict. Measure both completely, with the same settings, or pass --anyway.";
  const remarks = [...objections, ...(judged.length < rows.length ? [notJudged] : []), ...caveats];
  const lines = [
    ...changesOf(judged),
    `Before: ${before.id}. After: ${after.id}.`,
    "",
    ...(rows.length === 0
      ? ["The runs share no case and target of which both have times."]
      : [...textTable({ head, rows: cells, numeric: [2, 3] }), "", times]),
    "",
    ...remarks.map((remark) => `! ${remark}`),
  ];
  return `${lines.map(terminalLine).join("\n")}\n`;
}

export interface FailOn {
  readonly verdict: "slower" | "faster";
  /** As a fraction. */
  readonly by: number;
}

type Judged = Pick<RunComparison["rows"][number], "ratio" | "verdict">;

export function failing<Row extends Judged>(rows: readonly Row[], { verdict, by }: FailOn): readonly Row[] {
  return rows.filter(
    (row) =>
      row.verdict === verdict &&
      row.ratio !== null &&
      (verdict === "slower" ? row.ratio.estimate >= 1 + by : row.ratio.estimate <= 1 - by),
  );
}

export function undecided<Row extends Judged>(rows: readonly Row[], { verdict, by }: FailOn): readonly Row[] {
  return rows.filter(({ verdict: given, ratio }) => {
    if (ratio === null || given === "not warm") return true;
    if (given !== "inconclusive") return false;
    return verdict === "slower" ? ratio.high >= 1 + by : ratio.low <= 1 - by;
  });
}
