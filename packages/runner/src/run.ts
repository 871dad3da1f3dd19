import { type CaseManifest, openRecord } from "@evenbench/core";
import type { Run, RunPlan, Sample } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { type CaseSession, CaseWork } from "./case-work.ts";
import type { RunOptions, RunResult } from "./options.ts";
import { exchangeLimitMs, Patience, preflightLimitMs } from "./patience.ts";
import {
  type CaseCost,
  type Comparison,
  comparisons,
  describeShortTime,
  expectCost,
  firstPlan,
  planOf,
  type SeenTimes,
  usualNeed,
  usualTotal,
  withPlatforms,
} from "./plan.ts";
import { Forecast, type ProgressReporter, progressReporter } from "./progress.ts";
import { expectationOf, type Proved, prove, readDeployables } from "./prove.ts";
import { ProviderCpu } from "./provider-cpu.ts";
import type { Ended } from "./recorder.ts";
import { firstEntry, type MeasuringSession, measure, RUN_FORMAT } from "./session.ts";
import { pathOf } from "./sides.ts";
import type { MeasuredTarget } from "./targets.ts";
import { hasTransfer } from "./transfer.ts";
import { measureColdStarts } from "./trial.ts";
import { analysesOf, CaseCourse, measureInTurns, Purse } from "./turns.ts";
import type { RememberedNeeds } from "./warm-up-store.ts";

/**
 * A whole run: preflight, then the cases in turns, a trial of each at a time. Everything goes into a folder of
 * its own under `out` as it happens. Faults of single targets become events in `run.json`; an abort ends the
 * run early, and what was measured is kept.
 *
 * @throws {RunError} when the run cannot begin (nothing to compare, a target that does not start, preflight).
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const plan = firstPlan(options);
  let expectations: RunResult["expectations"] = {};
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
    (session) =>
      measureRun(session, options, plan, (proved) => {
        expectations = proved.ownExpectations;
      }),
  );
  return { folder, run: record, expectations };
}

type RunSession = MeasuringSession<Run, Sample>;

const AT_START = { phase: "preflight", caseId: null, trial: 0, trials: 0, roundIndex: 0 } as const;

async function measureRun(
  session: RunSession,
  asked: RunOptions,
  first: RunPlan,
  onProved: (proved: Proved) => void,
): Promise<Ended> {
  const { recorder, signal } = session;
  await recorder.save({ deployables: await readDeployables(asked.targets) });
  for (const { name, detail } of asked.missing ?? []) {
    recorder.event("build-failed", detail, { target: name });
  }
  let forecast: Forecast | null = null;
  const progress = progressReporter(
    asked.onProgress,
    first.cases.map(({ id }) => id),
    (now) => forecast?.left(now) ?? null,
  );
  progress.show(AT_START);
  const proved = await prove(comparisons(asked), asked, session);
  onProved(proved);
  if (signal.aborted) return "interrupted";
  const options = asked.sides ? withoutUnproved(asked, proved, session.startedAt) : asked;
  const compared = comparisons(options);

  const needs = needsOfCases(session, compared, proved, {
    fixed: first.warmUpExchanges,
    isSide: options.sides ?? false,
  });
  const costs = costsOfCases(compared, proved, needs, options.pauseMs);
  const plan = await withPlatforms(planOf({ ...options, seed: first.seed }, costs), proved.identities);
  const tooShort = describeShortTime(plan, costs, options);
  if (tooShort !== null) recorder.event("time-short", tooShort);
  tellSingleProcesses(session, options);
  await recorder.save({ plan, identities: proved.identities });
  const shared = sharedByCases(session, options, { plan, costs, proved, progress });
  const courses = coursesOf(shared, compared, {
    plan,
    costs,
    proved,
    needs,
    purse: commonPurse(options, plan),
    isSide: options.sides ?? false,
  });
  forecast = new Forecast(courses, coldStartsMs(courses, plan));
  options.onPlan?.(forecast.announcedMs);
  await measureInTurns(courses, plan.precision, {
    async beforeTrial() {
      session.tellOthers();
      await recorder.save();
    },
    afterTurn: (fits) => options.onTurn?.({ run: recorder.record, analyses: analysesOf(fits) }),
  });
  for (const remembered of needs.values()) remembered.keep();
  for (const { work } of courses) {
    if (!signal.aborted) await measureColdStarts(work, plan.coldStarts);
  }
  if (signal.aborted) return "interrupted";
  return recorder.has("case-failed") ? "failed" : "complete";
}

function withoutUnproved(options: RunOptions, { identities }: Proved, startedAt: number): RunOptions {
  const left = (ms: number) => Math.max(0, ms - (performance.now() - startedAt));
  return {
    ...options,
    targets: options.targets.filter(({ name }) => identities[name] !== undefined),
    ...(typeof options.timeMs === "number" && { timeMs: left(options.timeMs) }),
    ...(options.totalMs !== undefined && { totalMs: left(options.totalMs) }),
  };
}

function tellSingleProcesses({ recorder }: RunSession, { targets }: RunOptions) {
  const names = targets.flatMap(({ place, name, ownServer }) =>
    place === "url" && ownServer !== undefined ? [name] : [],
  );
  if (names.length === 0) return;
  recorder.event(
    "one-process",
    `${names.join(" and ")}: one running server for the whole run, so its trials are not fresh starts.`,
  );
}

interface ComparedCase extends Comparison {
  readonly manifest: CaseManifest;
}

function casesOf(compared: readonly Comparison[]): ComparedCase[] {
  return compared.flatMap((comparison) => comparison.cases.map((manifest) => ({ ...comparison, manifest })));
}

const UNSEEN: SeenTimes = { exchangeMs: {}, startMs: 0 };

type Needs = ReadonlyMap<string, RememberedNeeds>;

function needsOfCases(
  session: RunSession,
  compared: readonly Comparison[],
  { identities, seen }: Proved,
  { fixed, isSide }: { readonly fixed: number | null; readonly isSide: boolean },
): Needs {
  const { deployables } = session.recorder.record;
  const entries = casesOf(compared).map(({ manifest, targets }) => {
    const { exchangeMs } = seen[manifest.id] ?? UNSEEN;
    const measuredTargets = targets.flatMap((target) => {
      const { name, ownServer } = target;
      const identity = identities[name];
      // Nothing shows whether an own server is still the same build the next time.
      if (identity === undefined || ownServer !== undefined) return [];
      const build = deployables[name] ?? null;
      // What is usual is known of cases as they are.
      const usual = isSide ? null : usualNeed(manifest, identity, exchangeMs[name]);
      const path = pathOf(target, manifest);
      return [{ name, caseId: manifest.id, path, identity, build, usual }];
    });
    return [manifest.id, session.needsOf(measuredTargets, fixed)] as const;
  });
  return new Map(entries);
}

function costsOfCases(
  compared: readonly Comparison[],
  { seen }: Proved,
  needs: Needs,
  pauseMs = 0,
): Record<string, CaseCost> {
  return openRecord(
    casesOf(compared).map(({ manifest: { id }, measuredTargets }) => {
      const { needs: known } = needs.get(id) as RememberedNeeds;
      return [id, expectCost(measuredTargets, known, seen[id] ?? UNSEEN, pauseMs)] as const;
    }),
  );
}

interface PlannedRun {
  readonly plan: RunPlan;
  readonly costs: Readonly<Record<string, CaseCost>>;
  readonly proved: Proved;
}

function sharedByCases(
  session: RunSession,
  options: RunOptions,
  { plan, costs, proved, progress }: PlannedRun & { readonly progress: ProgressReporter },
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
    warmTogether: options.warmTogether ?? 1,
    askTogether: options.askTogether ?? 1,
    showProgress: progress.show,
  };
}

function commonPurse({ timeMs = null, totalMs }: RunOptions, { cases }: RunPlan): Purse | null {
  return timeMs === null ? new Purse(totalMs ?? usualTotal(cases.length)) : null;
}

interface PlannedCourses extends PlannedRun {
  readonly needs: Needs;
  readonly purse: Purse | null;
  readonly isSide: boolean;
}

function coursesOf(
  shared: CaseSession,
  compared: readonly Comparison[],
  { plan, costs, proved, needs, purse, isSide }: PlannedCourses,
): CaseCourse[] {
  return casesOf(compared).map(({ manifest, measuredTargets }) => {
    const { id } = manifest;
    const budgetMs = plan.caseBudgetMs[id] ?? null;
    const requestOf = ({ name, target, copyOf }: MeasuredTarget) => ({
      path: pathOf(target, manifest),
      expected: expectationOf(proved, id, copyOf ?? name),
    });
    const [first] = measuredTargets;
    const notesArrivals = !isSide && first !== undefined && hasTransfer(requestOf(first));
    const work = new CaseWork(shared, {
      manifest,
      measuredTargets,
      requestOf,
      rounds: plan.roundsPerTrial,
      trials: plan.trials.maximum,
      spacing: plan.spacing,
      pauseMs: plan.pauseMs,
      warmUps: (needs.get(id) as RememberedNeeds).needs,
      notesArrivals,
      // Whoever knows nothing of us does not serve the payload.
      hasTransfer: notesArrivals && first?.target.ownServer === undefined,
    });
    const cost = costs[id] as CaseCost;
    const least = plan.trials.minimum;
    return new CaseCourse(work, { purse: purse ?? new Purse(budgetMs ?? 0), budgetMs, least, cost });
  });
}

/** They start one after the other, where preflight's started side by side. */
function coldStartsMs(courses: readonly CaseCourse[], { coldStarts }: RunPlan): number {
  return (
    coldStarts *
    sum(courses.map(({ time, work }) => time.cost.startMs * Math.min(2, work.measuredTargets.length)))
  );
}
