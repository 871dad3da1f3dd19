import { terminalLine } from "@evenbench/core";
import type { Run, SummaryRow } from "@evenbench/results";
import { asRatio, type Cell, fitTwoWay, intervalOf, judge, priorOf, type Verdict } from "@evenbench/stats";
import { readSummarised, type SummarisedRun } from "../analyse-run.ts";
import { changesOf } from "../answer.ts";
import { ofTarget } from "../case-report.ts";
import { formatMs, formatRatio } from "../format.ts";
import { markWords } from "../marks.ts";
import { coresOf } from "../names.ts";
import { textTable } from "../table.ts";
import { type Likeness, objectionsTo, unequalCase, unequalPlans, unlike } from "./objections.ts";

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
  const [before, after] = [await readSummarised(beforeFolder), await readSummarised(afterFolder)];
  const both = [before, after];
  const ofRuns = both.flatMap(({ run, summary: { damage } }) =>
    objectionsTo(run, damage).map((objection) => `${run.id}: ${objection}`),
  );
  const ofAll = [...new Set(ofRuns), ...unequalPlans(before.run, after.run)];
  const shared = after.run.plan.cases.filter(({ id }) => before.run.plan.cases.some((one) => one.id === id));
  const unequal = new Map(shared.map(({ id }) => [id, unequalCase(id, before.run, after.run)]));
  const isJudged = (caseId: string) => anyway || (ofAll.length === 0 && unequal.get(caseId)?.length === 0);
  const pairs = shared.flatMap(({ id }) =>
    headlinesOf(after, id).flatMap((now) => {
      const then = ofTarget(headlinesOf(before, id), now.target);
      return then === null ? [] : [{ before: then, after: now }];
    }),
  );
  return {
    before: before.run,
    after: after.run,
    rows: rowsOf(pairs, isJudged),
    /** Why the runs, or some of their cases, cannot be held against one another. */
    objections: [...ofAll, ...[...unequal.values()].flat()],
    /** What a reader must know before any number. */
    caveats: [
      ...both.flatMap(({ run, summary: { unproven } }) =>
        unproven === undefined ? [] : [`${run.id}: ${unproven}`],
      ),
      "The runs did not take turns: what changed on the machine between them is in these ratios, and in no interval.",
      ...differences(before.run, after.run),
    ],
  };
}

/** What was measured of a case by its headline. */
export function headlinesOf({ summary }: SummarisedRun, id: string): readonly SummaryRow[] {
  return summary.rows.filter(
    ({ caseId, headline, medianMs }) => caseId === id && headline && medianMs !== null,
  );
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

export function medianOf({ medianMs, medianLowMs, medianHighMs }: SummaryRow) {
  return { estimate: medianMs ?? Number.NaN, low: medianLowMs, high: medianHighMs };
}

const SETUP: readonly Likeness[] = [
  ["The machine", ({ machine }) => machine?.cpuModel ?? "several vantages"],
  ["The number of cores", ({ machine }) => String(machine?.cores ?? "unknown")],
  ["The use of cores", ({ machine }) => (machine === null ? "unknown" : coresOf(machine))],
  ["Evenbench", ({ evenbenchVersion }) => evenbenchVersion],
];

function differences(before: Run, after: Run): readonly string[] {
  const ofTargets = Object.entries(after.identities).flatMap(([target, { pins }]): Likeness[] => {
    const then = before.identities[target];
    if (then === undefined) return [];
    const settings = Object.keys({ ...then.pins, ...pins }).map(
      (name): Likeness => [
        `The setting "${name}" of ${target}`,
        ({ identities }) => identities[target]?.pins[name] ?? "(none)",
      ],
    );
    const runtimeOf = ({ identities }: Run) => identities[target]?.facts.runtime ?? "(not given)";
    return [...settings, [`The runtime of ${target}`, runtimeOf]];
  });
  const say = (what: string, then: string, now: string) => `${what} differs: ${then} before, ${now} after.`;
  return unlike([...SETUP, ...ofTargets], before, after, say);
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
