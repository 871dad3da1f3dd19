import { dirname, join, relative } from "node:path";
import { messageOf } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import { readRun, type UnmeasuredSide } from "@evenbench/results";
import {
  type LocalTarget,
  type MeasuredCase,
  RunError,
  type RunOptions,
  type RunResult,
  run,
} from "@evenbench/runner";
import { STOP_CONFIDENCE } from "@evenbench/stats";
import { analyseComparison } from "./analyse-sides.ts";
import type { Bench, ComparisonPlan, FigureQuestion, Side } from "./define.ts";
import { figureFor } from "./judge.ts";
import type { ComparisonResult } from "./side-results.ts";

/** Largest number of trials of a comparison while a part of its claim is open. */
const MOST_TRIALS = 60;

/** A claim of which a comparison is measured: what it asks, and what is known by then. */
export interface AskedClaim {
  readonly figures: readonly FigureQuestion[];
  /** Results of the comparisons that were measured before, by id. */
  readonly known: Readonly<Record<string, ComparisonResult>>;
}

/**
 * Measures sides as a run measures targets. Without its first side a comparison has no result but the reason.
 *
 * @param time as in `RunOptions`: one that the user gave ends warm-up, too.
 * @param claim what the comparison is measured for: it goes on while a part of that is open.
 * @throws {RunError} where the run cannot begin for another reason than its first side.
 */
export async function compareSides(
  plan: ComparisonPlan,
  bench: Bench,
  time: Pick<RunOptions, "timeMs" | "totalMs">,
  claim: AskedClaim,
): Promise<ComparisonResult> {
  const { id, caseId, sides } = plan;
  const { targets, without } = sideTargetsOf(sides, bench);
  const baseline = sides[0]?.name ?? "";
  const [first] = targets;
  if (first?.name !== baseline) {
    return nothingOf(plan, without);
  }
  const manifests = (await first.app.cases()).filter((manifest) => manifest.id === caseId);
  if (manifests.length === 0) {
    throw new Error(`No target of the comparison serves a case "${caseId}".`);
  }
  const folder = join(bench.folder, id);
  const done = await runOrRefusal({
    ...runOptions(plan, bench, claim),
    ...time,
    targets,
    cases: { [first.app.id]: manifests },
    out: { id, folder },
    onEvent: ({ detail: message, quotes }) => bench.tell({ message, quotes }),
  });
  const { run: record, samples } = await readRun(folder);
  bench.identities.push(...Object.values(record.identities));
  // A side that preflight has dropped has no identity.
  const dropped = record.events.filter(
    ({ target }) =>
      sides.some(({ name }) => name === target) && record.identities[target ?? ""] === undefined,
  );
  const unmeasured = [
    ...dropped.map(({ target, detail }) => ({ name: target ?? "", why: detail })),
    ...without,
  ];
  if (!(done instanceof RunError)) {
    // What was measured stands, also where its page cannot be written.
    const report = await createReport(folder).catch((error: unknown) => {
      bench.progress(`${id}: no page (${messageOf(error)})`);
      return null;
    });
    const measured = {
      record,
      names: Object.keys(done.expectations[caseId] ?? {}),
      samples: [...samples].filter(({ phase }) => phase === "measure"),
    };
    return {
      ...nothingOf(plan, unmeasured),
      ...analyseComparison(plan, measured),
      report: report && relative(dirname(bench.folder), report.htmlFile),
    };
  }
  if (record.identities[baseline] !== undefined) {
    throw done;
  }
  return nothingOf(plan, unmeasured);
}

/** Runs a benchmark. @returns its result; the error where it could not begin, since its record says more. */
async function runOrRefusal(options: RunOptions): Promise<RunResult | RunError> {
  try {
    return await run(options);
  } catch (error) {
    if (error instanceof RunError) {
      return error;
    }
    throw error;
  }
}

/** The targets of the sides of a comparison, in their order, and the sides that have none. */
interface SideTargets {
  readonly targets: readonly LocalTarget[];
  readonly without: readonly UnmeasuredSide[];
}

/** Makes the targets of sides; a side without one is listed with the reason. */
function sideTargetsOf(sides: readonly Side[], bench: Bench): SideTargets {
  const targets: LocalTarget[] = [];
  const without: UnmeasuredSide[] = [];
  for (const side of sides) {
    try {
      targets.push(bench.targetOf(side));
    } catch (error) {
      without.push({ name: side.name, why: messageOf(error) });
    }
  }
  return { targets, without };
}

/** Makes the result of a comparison of which nothing could be measured. */
function nothingOf({ id, caseId }: ComparisonPlan, unmeasured: readonly UnmeasuredSide[]): ComparisonResult {
  return { id, caseId, report: null, unmeasured, sides: [], contrasts: [] };
}

/** Gives the options of the run that measures a comparison, but for its targets, cases, time and folder. */
function runOptions(
  plan: ComparisonPlan,
  bench: Bench,
  claim: AskedClaim,
): Omit<RunOptions, "targets" | "cases" | "out"> {
  const { id, caseId, sides, contrasts, weight, ...how } = plan;
  return {
    sides: true,
    baseline: sides[0]?.name ?? "",
    workers: Math.max(1, ...sides.map(({ start }) => start?.workers ?? 1)),
    mostTrials: MOST_TRIALS,
    openTargets: (soFar) => openSides(plan, claim, soFar),
    ...how,
    seed: bench.seed,
    asked: bench.asked,
    signal: bench.signal,
    onProgress: (progress) => bench.progress(id, { ...progress, trials: Math.max(1, progress.trials) }),
  };
}

/**
 * Names the sides that open parts of the claim speak of: those whose rule does not decide at `STOP_CONFIDENCE`, since
 * each look is a chance to be wrong. What the claim's own `decide` works on has as many trials as it says.
 */
export function openSides(
  plan: ComparisonPlan,
  { figures, known }: AskedClaim,
  soFar: Pick<MeasuredCase, "targets" | "samples" | "warmUps" | "usage">,
): readonly string[] {
  const parts = partsIn(plan, figures);
  if (parts.length === 0) {
    return plan.mostTrials === undefined ? [] : plan.sides.map(({ name }) => name);
  }
  const measured = {
    record: { usage: soFar.usage, warmUps: soFar.warmUps },
    names: soFar.targets.map(({ name }) => name),
    samples: soFar.samples,
  };
  const result = { ...nothingOf(plan, []), ...analyseComparison(plan, measured, STOP_CONFIDENCE) };
  const comparisons = { ...known, [plan.id]: result };
  const open = parts.filter(
    (question) => figureFor({ comparisons, loads: {} }, question).verdict === "unclear",
  );
  return [...new Set(open.flatMap((question) => sidesAskedOf(plan, question)))];
}

/** Lists the questions that decide a claim and ask for this comparison. */
export function partsIn(plan: ComparisonPlan, figures: readonly FigureQuestion[]): readonly FigureQuestion[] {
  return figures.filter((question) => question.rule !== undefined && sidesAskedOf(plan, question).length > 0);
}

/** Names the sides of a comparison that a question asks for; none where it asks for another comparison. */
function sidesAskedOf({ id }: ComparisonPlan, question: FigureQuestion): readonly string[] {
  if ("load" in question) {
    return [];
  }
  if ("unit" in question) {
    return question.comparison === id ? [question.side] : [];
  }
  const { beside } = question;
  const pairs = beside === undefined ? [question] : [question, beside];
  return pairs.filter(({ comparison }) => comparison === id).flatMap(({ side, against }) => [side, against]);
}
