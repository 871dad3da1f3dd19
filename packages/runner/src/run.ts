import { formatDuration, openRecord } from "@evenbench/core";
import { findNodeProgram, readSource } from "@evenbench/host";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { NOTHING_MEASURED, RUN_FILE, type Run, type RunPlan, type Sample } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { CaseState } from "./case-state.ts";
import { measureColdStarts } from "./cold-starts.ts";
import { comparisons } from "./comparisons.ts";
import { readDeployables } from "./deployables.ts";
import { measureMemory, READINGS, readingMs } from "./memory.ts";
import type { OpenFiles } from "./open-files.ts";
import type { RunOptions, RunResult, Target } from "./options.ts";
import { describeTargets, firstRunPlan, neededTimes, runPlanOf, usualTotal } from "./plan.ts";
import { type CaseSession, PlannedCase } from "./planned-case.ts";
import { type PreflightOutcome, withAnswer, withCache } from "./preflight-outcome.ts";
import { progressReporter, timeLeft } from "./progress.ts";
import { checkTargets } from "./prove.ts";
import { reportProviderCpu } from "./provider-cpu.ts";
import type { Ended } from "./recorder.ts";
import { type MeasuringSession, measure } from "./session.ts";
import { measurableStarts, measureStartUps, startsOf } from "./start-ups.ts";
import { isRunningServer } from "./targets.ts";
import { SharedTime, TimeBudget } from "./time-budget.ts";
import { runTrial } from "./trial.ts";
import { trialMs } from "./trial-time.ts";
import { analysesOf, CaseSchedule, measureRoundRobin } from "./turns.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/**
 * Runs a benchmark: preflight, trials of all cases in rotation, cold starts. What goes wrong with single
 * targets becomes events. An abort ends the run early, and what was measured is kept.
 *
 * @throws {RunError} if it cannot begin.
 * @throws {ResultsError} if its folder cannot be written.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const plan = firstRunPlan(options);
  const nodeProgram = plan.node === undefined ? undefined : await findNodeProgram(plan.node);
  let expectations: RunResult["expectations"] = {};
  const { folder, record } = await measure<Run, Sample>(
    {
      place: options.out ?? "results",
      asked: options.asked,
      serverCores: plan.serverCores,
      services: plan.cases.flatMap((manifest) => manifest.services),
      workers: plan.workers,
      nodeProgram,
      exchangeTimeoutMs: options.exchangeTimeoutMs ?? EXCHANGE_TIMEOUT_MS,
      openFiles: openFilesOfRun(options),
      signal: options.signal,
      file: RUN_FILE,
      ofSamples: (samples) => ({ samples }),
      firstEntry: (shell) => ({
        schemaVersion: 2,
        ...shell,
        source: sourceOf(options),
        samples: null,
        plan,
        identities: {},
        ...NOTHING_MEASURED,
      }),
      onEvent: options.onEvent,
    },
    (session) =>
      measureRun(session, options, plan, (proved) => {
        expectations = proved.expectations;
      }),
  );
  return { folder, run: record, expectations };
}

/** Gives the source of what is measured: an older build has changes, too, that the commit has not. */
function sourceOf({ outdated = [] }: RunOptions): Run["source"] {
  const source = readSource();
  return source === null || outdated.length === 0 ? source : { ...source, changed: true };
}

/** Gives the cases of which preflight has seen an answer: the others are left out. */
function provedCases(cases: RunOptions["cases"], { expectations }: PreflightOutcome): RunOptions["cases"] {
  const ofApps = Object.entries(cases).map(
    ([app, all]) => [app, all.filter(({ id }) => expectations[id] !== undefined)] as const,
  );
  return openRecord(ofApps.filter(([, all]) => all.length > 0));
}

/**
 * Counts the files that a run holds open: one connection for each target, and for the copy of each comparison's
 * baseline.
 */
function openFilesOfRun(options: RunOptions): OpenFiles {
  const measured = comparisons(options).flatMap(({ measuredTargets }) => measuredTargets);
  const local = measured.filter(({ target }) => target.place === "local");
  return { connections: measured.length, processes: local.length };
}

/** The progress that is shown before preflight. */
const AT_START = { phase: "preflight", caseId: null, trial: 0, trials: 0, roundIndex: 0 } as const;

/** A case of a run, with its trials. */
interface RunCase {
  readonly state: CaseState;
  readonly schedule: CaseSchedule;
  /** Expected times of its first trial. */
  readonly cost: CaseCost;
}

/** The measurements of a run, as planned after its preflight. */
interface PlannedRun {
  readonly session: CaseSession;
  readonly cases: readonly RunCase[];
}

/**
 * Measures a run: preflight, plan, trials and cold starts, and what platforms account for.
 *
 * @param onProved is called once preflight is over.
 * @returns how the run ended.
 */
async function measureRun(
  session: MeasuringSession<Run, Sample>,
  asked: RunOptions,
  initialPlan: RunPlan,
  onProved: (proved: PreflightOutcome) => void,
): Promise<Ended> {
  const { recorder, signal } = session;
  await recorder.save({ deployables: await readDeployables(asked.targets) });
  for (const { name, detail, quotes } of asked.missing ?? []) {
    recorder.event("build-failed", detail, { target: name, quotes });
  }
  let remainingMs: (() => number) | null = null;
  const progress = progressReporter(
    asked.onProgress,
    initialPlan.cases.map(({ id }) => id),
    () => remainingMs?.() ?? null,
  );
  progress.show(AT_START);
  const proved = await checkTargets(comparisons(asked), asked, session);
  onProved(proved);
  if (signal.aborted) {
    return "interrupted";
  }
  const provedTargets = asked.targets.filter(({ name }) => proved.identities[name] !== undefined);
  const options = { ...asked, targets: provedTargets, cases: provedCases(asked.cases, proved) };
  const planned = await planRun(session, options, initialPlan, proved, progress.show);
  remainingMs = () => timeLeft(planned.cases.map(({ schedule }) => schedule)) + afterTrialsLeftMs(planned);
  try {
    await measureCases(planned, options);
  } catch (error) {
    // A second failure would hide the first one, which says more.
    await reportCpu(planned, options.targets).catch(() => {});
    throw error;
  }
  await reportCpu(planned, options.targets);
  if (signal.aborted) {
    return "interrupted";
  }
  return recorder.has("case-failed") ? "failed" : "complete";
}

/** Measures the trials of all cases, and then their cold starts. */
async function measureCases({ session, cases }: PlannedRun, options: RunOptions): Promise<void> {
  const { recorder, plan, signal } = session;
  const beforeTrial = async () => {
    session.reportOthers();
    await recorder.save();
  };
  try {
    await measureRoundRobin(
      cases.map(({ schedule }) => schedule),
      {
        precision: plan.precision,
        openTargets: options.openTargets,
        endsOnCpuTime: options.endsOnCpuTime,
        beforeTrial,
        afterTurn: (fits) => options.onTurn?.({ run: recorder.record, analyses: analysesOf(fits) }),
      },
    );
  } finally {
    await Promise.all(session.stopping.values());
  }
  if (!signal.aborted) {
    await recorder.save({ trialsEnded: true });
  }
  for (const { state } of cases) {
    if (!signal.aborted) {
      await measureColdStarts(state);
    }
    if (plan.memory === true && !signal.aborted) {
      await measureMemory(state);
    }
  }
  await measureStartUps(
    session,
    cases.map(({ state }) => state),
  );
}

/** Estimates the time of what is still to come after all trials, in milliseconds: cold starts, memory and starts. */
function afterTrialsLeftMs({ session, cases }: PlannedRun): number {
  const { plan, recorder } = session;
  const { coldStarts, memory = [], startUps = [] } = recorder.record;
  const ofCases = cases.map(({ cost, state }) => {
    const caseId = state.id;
    const local = state.measuredTargets.filter(({ target }) => target.place === "local");
    const originals = local.filter(({ copyOf }) => copyOf === null);
    const doneIn = (all: readonly { readonly caseId: string }[]) =>
      all.filter((each) => each.caseId === caseId).length;
    const startMs = startAloneMs(cost.startMs, local.length);
    const exchangeMs = cost.roundMs / Math.max(1, state.measuredTargets.length);
    const readings = plan.memory === true ? READINGS * originals.length : 0;
    return (
      startMs * Math.max(0, plan.coldStarts * local.length - doneIn(coldStarts)) +
      (readingMs(exchangeMs) + startMs / READINGS) * Math.max(0, readings - doneIn(memory))
    );
  });
  const starts = measurableStarts(cases.map(({ state }) => state));
  const [first] = cases;
  const startMs = startAloneMs(first?.cost.startMs ?? 0, first?.state.measuredTargets.length ?? 0);
  const ofStarts = starts.map(({ target }) => {
    const done = startUps.filter((start) => start.target === target.name).length;
    return Math.max(0, (plan.startUps ?? 0) - done) * startsOf(target).length * startMs;
  });
  return sum([...ofCases, ...ofStarts]);
}

/** Estimates the time of a start on its own, where preflight's starts were side by side, in milliseconds. */
function startAloneMs(besideMs: number, targets: number): number {
  return (besideMs * Math.min(2, targets)) / Math.max(1, targets);
}

/** Joins and reports the CPU accounts of deployed targets, where these were asked for. */
async function reportCpu({ session, cases }: PlannedRun, targets: readonly Target[]): Promise<void> {
  if (session.accounts !== null) {
    const samples = cases.flatMap(({ state }) => state.samples);
    await reportProviderCpu(session.recorder, targets, samples, session.accounts);
  }
}

/** Plans the trials of all cases, now that preflight has shown what they cost, and records the plan. */
async function planRun(
  session: MeasuringSession<Run, Sample>,
  options: RunOptions,
  initialPlan: RunPlan,
  proved: PreflightOutcome,
  showProgress: CaseSession["showProgress"],
): Promise<PlannedRun> {
  const { recorder } = session;
  const before: CaseSession = {
    ...session,
    plan: initialPlan,
    sides: options.sides ?? false,
    proved,
    stopping: new Map(),
    showProgress,
    accounts: initialPlan.cpu === "provider" ? [] : null,
  };
  const costs = openRecord(
    contextsOf(before, options).map(
      (context) => [context.manifest.id, context.costOf(context.targets)] as const,
    ),
  );
  const planned = runPlanOf({ ...options, seed: initialPlan.seed }, costs);
  const neededMs = neededTimes(planned, costs);
  const tooShort = planned.cases.flatMap((manifest) => {
    const ms = neededMs[manifest.id];
    return ms === undefined ? [] : [`${manifest.title} needs ${formatDuration(ms)}`];
  });
  const targets = await describeTargets(planned.targets, proved.identities);
  const cases = planned.cases.map((manifest) => withAnswer(withCache(manifest, proved), proved));
  const plan: RunPlan = {
    ...planned,
    targets,
    cases,
    ...(tooShort.length > 0 && { neededMs }),
    ...(Object.keys(proved.masks).length > 0 && { masksFound: proved.masks }),
  };
  if (tooShort.length > 0) {
    recorder.event("time-short", `Short of time: ${tooShort.join(", ")} for warm trials.`);
  }
  for (const { name } of options.targets.filter(isRunningServer)) {
    const detail = `${name}: one running server for the whole run, so its trials are not fresh starts.`;
    recorder.event("one-process", detail, { target: name });
  }
  await recorder.save({ plan, identities: proved.identities });
  const shared: CaseSession = { ...before, plan };
  return { session: shared, cases: scheduledCases(shared, options) };
}

/** Makes all cases of a run, each with its schedule. */
function scheduledCases(session: CaseSession, options: RunOptions): readonly RunCase[] {
  const { roundsPerTrial, cases } = session.plan;
  const states = contextsOf(session, options).map((context) => new CaseState(context));
  // What has to be searched takes no time away from rounds.
  const usualMs = usualTotal(cases.length) + sum(states.map((state) => state.cost().searchMs));
  const commonTime = new SharedTime(options.totalMs ?? options.openMs ?? usualMs);
  return states.map((state) => {
    const { context } = state;
    const cost = state.cost();
    const budget = timeBudgetOf(context, cost, options.timeMs == null ? commonTime : null);
    const schedule = new CaseSchedule(state, budget, roundsPerTrial, (trial) => runTrial(state, trial));
    return { state, schedule, cost };
  });
}

/** Makes the contexts of all cases, in the order of the plan. */
function contextsOf(session: CaseSession, options: RunOptions): readonly PlannedCase[] {
  return comparisons(options).flatMap(({ cases, measuredTargets }) =>
    cases.map((manifest) => new PlannedCase(session, manifest, measuredTargets)),
  );
}

/** Makes the time budget of a case. @param common the time that all cases share; null where each has its own. */
function timeBudgetOf(
  { plan, manifest }: PlannedCase,
  cost: CaseCost,
  common: SharedTime | null,
): TimeBudget {
  const limitMs = plan.caseLimitMs[manifest.id] ?? null;
  return new TimeBudget({
    limitMs,
    shared: common ?? new SharedTime(limitMs ?? 0),
    trials: plan.trials,
    plannedTrialMs: trialMs(cost, plan.roundsPerTrial),
    plannedSearchMs: cost.searchMs,
    hasFixedRounds: plan.roundsPerTrial !== null,
  });
}
