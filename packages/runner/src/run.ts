import { type CaseManifest, openRecord } from "@evenbench/core";
import type { Run, RunPlan, Sample } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { CaseCourse, runCase } from "./case.ts";
import { type CaseSession, CaseWork } from "./case-work.ts";
import { measureColdStarts } from "./cold.ts";
import { expectCost, type SeenTimes, usualNeed } from "./expected-cost.ts";
import { measureInTurns } from "./in-turns.ts";
import type { RunOptions, RunResult } from "./options.ts";
import { exchangeLimitMs, Patience, preflightLimitMs } from "./patience.ts";
import { type CaseCost, usualTime, usualTotal } from "./plan.ts";
import { type ProgressReporter, progressReporter } from "./progress.ts";
import { expectationOf, type Proved, prove } from "./prove.ts";
import { ProviderCpu } from "./provider-cpu.ts";
import { readDeployables } from "./read-deployables.ts";
import type { Ended } from "./recorder.ts";
import type { RememberedNeeds } from "./remembered-needs.ts";
import {
  type Comparison,
  comparisons,
  expectedTimes,
  firstPlan,
  planOf,
  trialsOf,
  withPlatforms,
} from "./run-plan.ts";
import { firstEntry, RUN_FORMAT } from "./run-record.ts";
import { type MeasuringSession, measure } from "./session.ts";
import type { Subject } from "./targets.ts";
import { hasTransfer } from "./transfer.ts";

/**
 * A whole run: preflight, then the cases in turns, a trial of each at a time, or one after another where each
 * has a time of its own. Everything goes into a folder of its own under `out` as it happens. Faults of single
 * targets become events in `run.json`; an abort ends the run early, and what was measured is kept.
 *
 * @throws {RunError} when the run cannot begin (nothing to compare, a target that does not start, preflight).
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const plan = firstPlan(options);
  const { folder, record } = await measure<Run, Sample>(
    {
      place: options.out ?? "results",
      serverCores: plan.serverCores,
      services: plan.cases.flatMap((manifest) => manifest.services),
      workers: plan.workers,
      exchangeTimeoutMs: preflightLimitMs(options, plan.cases.length),
      warmUpFile: options.warmUpFile,
      signal: options.signal,
      format: RUN_FORMAT,
      firstEntry: (shell) => firstEntry(shell, plan),
      onEvent: options.onEvent,
    },
    (session) => measureRun(session, options, plan),
  );
  return { folder, run: record };
}

type RunSession = MeasuringSession<Run, Sample>;

const AT_START = { phase: "preflight", caseId: null, trial: 0, trials: 0, roundIndex: 0 } as const;

async function measureRun(session: RunSession, options: RunOptions, first: RunPlan): Promise<Ended> {
  const { recorder, signal } = session;
  await recorder.save({ deployables: await readDeployables(options.targets) });
  for (const { name, detail } of options.missing ?? []) {
    recorder.event("build-failed", detail, { target: name });
  }
  const ids = first.cases.map(({ id }) => id);
  const progress = progressReporter(options.onProgress, ids);
  progress.show(AT_START);
  const compared = comparisons(options);
  const proved = await prove(compared, options, session);
  if (signal.aborted) return "interrupted";

  const needs = needsOfCases(session, compared, proved, first.warmUpExchanges);
  const costs = costsOfCases(compared, proved, needs, options.pauseMs);
  const plan = await withPlatforms(planOf({ ...options, seed: first.seed }, costs), proved.identities);
  const expectedMs = expectedTimes(plan, costs);
  const isTimed = Object.keys(plan.caseBudgetMs).length > 0;
  progress.plan(expectedMs);
  options.onPlan?.(Object.values(expectedMs).reduce((sum, ms) => sum + ms, 0));
  await recorder.save({ plan, identities: proved.identities });
  const shared = sharedByCases(session, options, { plan, costs, proved, progress });
  const cases = casesOf(compared).map(({ manifest, subjects }): CaseToMeasure => {
    const remembered = needs.get(manifest.id) as RememberedNeeds;
    const trials = options.trials ?? trialsOf(plan, costs, manifest.id);
    const warmUps = remembered.needs;
    return { remembered, work: workOf(shared, { manifest, subjects, plan, proved, trials, warmUps }) };
  });
  const measuring = { session, plan, progress, cases };
  if (isTimed) await measureEach(measuring);
  else
    await measureTogether(
      measuring,
      { expectedMs, costs },
      options.trials == null ? usualTotal(cases.length) : Number.POSITIVE_INFINITY,
    );
  if (signal.aborted) return "interrupted";
  return recorder.has("case-failed") ? "failed" : "complete";
}

interface CaseToMeasure {
  readonly work: CaseWork;
  readonly remembered: RememberedNeeds;
}

/** What cases are expected to take, by case id. */
interface Expected {
  /** Milliseconds. */
  readonly expectedMs: Readonly<Record<string, number>>;
  readonly costs: Readonly<Record<string, CaseCost>>;
}

interface Measuring {
  readonly session: RunSession;
  readonly plan: RunPlan;
  readonly progress: ProgressReporter;
  readonly cases: readonly CaseToMeasure[];
}

/** One case after another, each in the time that was asked for. */
async function measureEach({ session, plan, progress, cases }: Measuring): Promise<void> {
  for (const { work, remembered } of cases) {
    progress.startCase(work.manifest.id);
    await runCase(work, plan.caseBudgetMs[work.manifest.id] ?? 0, plan.precision);
    remembered.keep();
    if (!session.signal.aborted) await measureColdStarts(work, plan.coldStarts);
    if (session.signal.aborted) return;
    session.tellOthers();
    await session.recorder.save();
  }
}

/** All cases in turns. */
async function measureTogether(
  { session, plan, progress, cases }: Measuring,
  { expectedMs, costs }: Expected,
  mostMs: number,
): Promise<void> {
  const { signal, recorder } = session;
  const courses = cases.map(({ work }) => new CaseCourse(work));
  progress.plan(expectedMs, () =>
    sum(
      courses.map((course) => {
        const cost = costs[course.work.manifest.id];
        return course.leastLeftMs(plan.trials.minimum, cost === undefined ? 0 : usualTime(cost, 1));
      }),
    ),
  );
  await measureInTurns(courses, mostMs, plan.precision, async ({ work }) => {
    progress.startCase(work.manifest.id);
    session.tellOthers();
    await recorder.save();
  });
  for (const { remembered } of cases) remembered.keep();
  for (const { work } of cases) {
    progress.startCase(work.manifest.id);
    if (!signal.aborted) await measureColdStarts(work, plan.coldStarts);
  }
}

interface ComparedCase extends Comparison {
  readonly manifest: CaseManifest;
}

function casesOf(compared: readonly Comparison[]): ComparedCase[] {
  return compared.flatMap((comparison) => comparison.cases.map((manifest) => ({ ...comparison, manifest })));
}

function needsOfCases(
  session: RunSession,
  compared: readonly Comparison[],
  { identities, seen }: Proved,
  fixed: number | null,
): Map<string, RememberedNeeds> {
  const { deployables } = session.recorder.record;
  const entries = casesOf(compared).map(({ manifest, targets }) => {
    const { exchangeMs } = seen[manifest.id] ?? UNSEEN;
    const subjects = targets.flatMap(({ name, stranger }) => {
      const identity = identities[name];
      const build = deployables[name] ?? null;
      // Nothing shows whether a stranger is still the same build the next time.
      return identity === undefined || stranger !== undefined
        ? []
        : [
            {
              name,
              caseId: manifest.id,
              path: manifest.path,
              identity,
              build,
              usual: usualNeed(manifest, identity, exchangeMs[name]),
            },
          ];
    });
    return [manifest.id, session.needsOf(subjects, fixed)] as const;
  });
  return new Map(entries);
}

function costsOfCases(
  compared: readonly Comparison[],
  { seen }: Proved,
  needs: ReadonlyMap<string, RememberedNeeds>,
  pauseMs = 0,
): Record<string, CaseCost> {
  const costs = openRecord<CaseCost>();
  for (const { manifest, subjects } of casesOf(compared)) {
    const { needs: ofCase } = needs.get(manifest.id) as RememberedNeeds;
    costs[manifest.id] = expectCost(subjects, ofCase, seen[manifest.id] ?? UNSEEN, pauseMs);
  }
  return costs;
}

const UNSEEN: SeenTimes = { exchangeMs: {}, startMs: 0 };

interface PlannedRun {
  readonly plan: RunPlan;
  readonly costs: Readonly<Record<string, CaseCost>>;
  readonly proved: Proved;
  readonly progress: ProgressReporter;
}

function sharedByCases(
  session: RunSession,
  options: RunOptions,
  { plan, costs, proved, progress }: PlannedRun,
): CaseSession {
  const { id } = session.recorder.record;
  const { recorder } = session;
  const exchangeTimeoutMs = exchangeLimitMs(options, costs);
  const providerCpu = plan.cpu === "provider" ? new ProviderCpu(id, plan.targets, options.targets) : null;
  session.atEnd(async () => providerCpu?.report(recorder));
  return {
    seed: plan.seed,
    signal: session.signal,
    startedAt: session.startedAt,
    recorder,
    instanceSettings: { ...session.instanceSettings, exchangeTimeoutMs },
    identities: proved.identities,
    providerCpu,
    patience: new Patience(options, plan.cases.length, exchangeTimeoutMs),
    showProgress: progress.show,
  };
}

interface PlannedCase extends Pick<PlannedRun, "plan" | "proved"> {
  readonly manifest: CaseManifest;
  readonly subjects: Comparison["subjects"];
  readonly trials: number;
  readonly warmUps: RememberedNeeds["needs"];
}

function workOf(shared: CaseSession, { plan, proved, trials, ...planned }: PlannedCase): CaseWork {
  const { id, path } = planned.manifest;
  const requestOf = ({ name, copyOf }: Subject) => ({
    path,
    expected: expectationOf(proved, id, copyOf ?? name),
  });
  const [first] = planned.subjects;
  const notesArrivals = first !== undefined && hasTransfer(requestOf(first));
  return new CaseWork(shared, {
    ...planned,
    trials,
    requestOf,
    rounds: plan.roundsPerTrial,
    spacing: plan.spacing,
    pauseMs: plan.pauseMs,
    keepSamples: plan.trials.minimum < plan.trials.maximum,
    notesArrivals,
    // Whoever knows nothing of us does not serve the payload.
    hasTransfer: notesArrivals && first?.target.stranger === undefined,
  });
}
