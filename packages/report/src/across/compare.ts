import { terminalLine } from "@evenbench/core";
import type { Run, SummaryRow } from "@evenbench/results";
import { asRatio, type Cell, fitTwoWay, intervalOf, judge, priorOf, type Verdict } from "@evenbench/stats";
import { readSummarised } from "../analyse-run.ts";
import { changesOf } from "../answer.ts";
import { formatMs, formatRatio } from "../format.ts";
import { markWords } from "../marks.ts";
import { coresOf } from "../names.ts";
import { textTable } from "../table.ts";
import { type Facts, objectionsTo, unequal, unlike } from "./objections.ts";
import { coursesOf, isTime, medianOf, versionFacts } from "./series.ts";

export type RunComparison = Awaited<ReturnType<typeof compareRuns>>;

export interface AcrossOptions {
  /** Whether damaged, unfinished and unequal runs are judged, too. */
  readonly anyway?: boolean;
}

/**
 * The same targets in two runs. Damaged, unfinished and unequal ones have no verdict, unless it is asked for.
 *
 * @throws {ResultsError} when a folder holds no run that can be read.
 */
export async function compareRuns(
  beforeFolder: string,
  afterFolder: string,
  { anyway = false }: AcrossOptions = {},
) {
  const both = [await readSummarised(beforeFolder), await readSummarised(afterFolder)];
  const [before, after] = both.map(({ run }) => run) as [Run, Run];
  const ofRuns = both.flatMap(({ run, summary }) =>
    objectionsTo(run, summary.damage).map((objection) => `${run.id}: ${objection}`),
  );
  const pairs = coursesOf(both, isTime).flatMap(({ points }) => {
    const [then, now] = points.map(({ row }) => row);
    return then === undefined || now === undefined ? [] : [{ before: then, after: now }];
  });
  const unequalOf = new Map(
    pairs.map(({ after: { caseId } }) => [caseId, unequal(caseId, before, after)] as const),
  );
  const isJudged = (caseId: string) => anyway || (ofRuns.length === 0 && unequalOf.get(caseId)?.length === 0);
  return {
    before,
    after,
    rows: rowsOf(pairs, isJudged),
    /** Why the runs, or some of their cases, cannot be held against one another. */
    objections: [...new Set([...ofRuns, ...[...unequalOf.values()].flat()])],
    /** What a reader must know before any number. */
    caveats: [
      ...both.flatMap(({ run, summary: { unproven } }) =>
        unproven === undefined ? [] : [`${run.id}: ${unproven}`],
      ),
      "The runs did not take turns: what changed on the machine between them is in these ratios, and in no interval.",
      ...unlike(
        settingOf(before),
        settingOf(after),
        (what, then, now) => `${what} differs: ${then} before, ${now} after.`,
      ),
    ],
  };
}

/** By the model of a run's own comparisons, without what trials share: here none has both. */
function rowsOf(
  pairs: readonly { readonly before: SummaryRow; readonly after: SummaryRow }[],
  isJudged: (caseId: string) => boolean,
) {
  const fits = pairs.map(({ before, after }) => {
    const cells = Object.entries({ before, after }).flatMap(([target, { trialMs }]) =>
      trialMs.map((ms): Cell => ({ target, block: "all", value: Math.log(ms) })),
    );
    return fitTwoWay(cells);
  });
  const prior = priorOf(fits);
  return pairs.map(({ before, after }, index) => {
    const fit = fits[index] as (typeof fits)[number];
    const hasEnough = [before, after].every(({ trialMs }) => trialMs.length > 1);
    const difference = hasEnough ? fit.difference(["after"], ["before"]) : null;
    const ratio = difference && asRatio(intervalOf(difference, fit, { prior }));
    const isCold = before.notWarm !== null || after.notWarm !== null;
    const judged: Verdict = ratio === null ? "inconclusive" : judge(ratio).verdict;
    return {
      caseId: after.caseId,
      target: after.target,
      before: medianOf(before),
      after: medianOf(after),
      /** after / before; null where a run has too little. */
      ratio,
      verdict: !isJudged(after.caseId) ? null : isCold ? ("not warm" as const) : judged,
    };
  });
}

function settingOf(run: Run): Facts {
  const { machine, identities } = run;
  const pins = Object.entries(identities).flatMap(([target, one]) =>
    Object.entries(one.pins).map(([name, value]) => [`The setting "${name}" of ${target}`, value] as const),
  );
  return new Map([
    ["The machine", machine?.cpuModel ?? "several vantages"],
    ["The number of cores", String(machine?.cores ?? "unknown")],
    ["The use of cores", machine === null ? "unknown" : coresOf(machine)],
    ...versionFacts(run),
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
  const table =
    rows.length === 0
      ? ["The runs share no case and target of which both have times."]
      : [...textTable({ head, rows: cells, numeric: [2, 3] }), "", TIMES];
  const notJudged =
    "So there is no verdict. Measure both completely, with the same settings, or pass --anyway.";
  const remarks = [...objections, ...(judged.length < rows.length ? [notJudged] : []), ...caveats];
  const lines = [
    ...changesOf(judged).map(terminalLine),
    terminalLine(`Before: ${before.id}. After: ${after.id}.`),
    "",
    ...table,
    "",
    ...remarks.map((remark) => terminalLine(`! ${remark}`)),
  ];
  return `${lines.join("\n")}\n`;
}

const TIMES = "Times: geometric mean of the trials' medians, as each run's own report has them.";

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
