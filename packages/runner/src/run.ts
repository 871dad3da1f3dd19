import { formatDuration, openRecord } from "@evenbench/core";
import { readSource } from "@evenbench/host";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { NOTHING_MEASURED, RUN_FILE, type Run, type RunPlan, type Sample } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { type CaseSession, CaseState } from "./case-work.ts";
import type { OpenFiles } from "./open-files.ts";
import type { RunOptions, RunResult } from "./options.ts";
import { comparisons, describeTargets, describeTimes, firstPlan, planOf, usualTotal } from "./plan.ts";
import { progressReporter, timeLeft } from "./progress.ts";
import { checkTargets, type PreflightOutcome, readDeployables } from "./prove.ts";
import { reportProviderCpu } from "./provider-cpu.ts";
import { type Ended, type MeasuringSession, measure } from "./session.ts";
import { isRunningServer } from "./targets.ts";
import { measureColdStarts } from "./trial.ts";
import { analysesOf, CaseSchedule, measureRoundRobin } from "./turns.ts";

/**
 * What goes wrong with single targets becomes events; an abort ends the run early, and what was measured is
 * kept. @throws {RunError} when it cannot begin. @throws {ResultsError} when its folder cannot be written.
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
      exchangeTimeoutMs: options.exchangeTimeoutMs ?? EXCHANGE_TIMEOUT_MS,
      openFiles: openFilesOf(options),
      signal: options.signal,
      gauge: plan.gauge !== false,
      file: RUN_FILE,
      ofSamples: (samples) => ({ samples }),
      firstEntry: (shell) => ({
        schemaVersion: 2,
        ...shell,
        source: readSource(),
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

/** One connection for each target, and for the copy of each comparison's baseline. */
function openFilesOf(options: RunOptions): OpenFiles {
  const measured = comparisons(options).flatMap(({ measuredTargets }) => measuredTargets);
  const local = measured.filter(({ target }) => target.place === "local");
  return { connections: measured.length, processes: local.length };
}

const AT_START = { phase: "preflight", caseId: null, trial: 0, trials: 0, roundIndex: 0 } as const;

async function measureRun(
  session: MeasuringSession<Run, Sample>,
  asked: RunOptions,
  first: RunPlan,
  onProved: (proved: PreflightOutcome) => void,
): Promise<Ended> {
  const { recorder, signal } = session;
  await recorder.save({ deployables: await readDeployables(asked.targets) });
  for (const { name, detail } of asked.missing ?? []) {
    recorder.event("build-failed", detail, { target: name });
  }
  let remainingMs: (() => number) | null = null;
  const progress = progressReporter(
    asked.onProgress,
    first.cases.map(({ id }) => id),
    () => remainingMs?.() ?? null,
  );
  progress.show(AT_START);
  const proved = await checkTargets(comparisons(asked), asked, session);
  onProved(proved);
  if (signal.aborted) {
    return "interrupted";
  }
  const provedTargets = asked.targets.filter(({ name }) => proved.identities[name] !== undefined);
  const options = { ...asked, targets: provedTargets };
  const { shared, courses, room } = await planCases(session, options, first, proved, progress.show);
  const { plan, accounts } = shared;
  // Cold starts come one after the other, where preflight's starts were side by side.
  const coldMs = sum(
    courses.map(({ planned, work }) => planned.startMs * Math.min(2, work.measuredTargets.length)),
  );
  const coldStarts = plan.coldStarts * sum(courses.map(({ work }) => work.measuredTargets.length));
  const coldLeft = () => 1 - Math.min(1, recorder.record.coldStarts.length / Math.max(1, coldStarts));
  remainingMs = () => timeLeft(courses) + plan.coldStarts * coldMs * coldLeft();
  options.onPlan?.(remainingMs(), room);
  const beforeTrial = async () => {
    session.tellOthers();
    await recorder.save();
  };
  const reportCpu = async () => {
    const samples = courses.flatMap(({ work }) => work.samples);
    if (accounts !== null) {
      await reportProviderCpu(recorder, options.targets, samples, accounts);
    }
  };
  try {
    await measureRoundRobin(courses, plan.precision, beforeTrial, (fits) =>
      options.onTurn?.({ run: recorder.record, analyses: analysesOf(fits) }),
    );
    for (const { work } of courses) {
      if (!signal.aborted) {
        await measureColdStarts(work);
      }
    }
  } catch (error) {
    // What fails after it would hide it.
    await reportCpu().catch(() => {});
    throw error;
  }
  await reportCpu();
  if (signal.aborted) {
    return "interrupted";
  }
  return recorder.has("case-failed") ? "failed" : "complete";
}

async function planCases(
  session: MeasuringSession<Run, Sample>,
  options: RunOptions,
  first: RunPlan,
  proved: PreflightOutcome,
  showProgress: CaseSession["showProgress"],
) {
  const { timeMs = null, openMs = usualTotal(first.cases.length), sides = false } = options;
  const shared: CaseSession = {
    ...session,
    plan: first,
    sides,
    proved,
    lost: new Map(),
    showProgress,
    accounts: first.cpu === "provider" ? [] : null,
  };
  const { recorder } = session;
  const works = comparisons(options).flatMap(({ cases, measuredTargets }) =>
    cases.map((manifest) => new CaseState(shared, manifest, measuredTargets)),
  );
  const costs = openRecord(works.map((work) => [work.manifest.id, work.cost()] as const));
  const planned = planOf({ ...options, seed: first.seed }, costs);
  const { neededMs, room } = describeTimes(planned, costs);
  const needs = Object.entries(neededMs).map(([id, ms]) => `${id} needs ${formatDuration(ms)}`);
  const isShort = needs.length > 0;
  const described = await describeTargets(planned.targets, proved.identities);
  const plan = { ...planned, ...described, ...(isShort && { neededMs }) };
  shared.plan = plan;
  if (isShort) {
    recorder.event("time-short", `The time is too short for warm trials: ${needs.join(", ")}.`);
  }
  for (const { name } of options.targets.filter(isRunningServer)) {
    const detail = `${name}: one running server for the whole run, so its trials are not fresh starts.`;
    recorder.event("one-process", detail, { target: name });
  }
  await recorder.save({ plan, identities: proved.identities });
  const common = { remainingMs: options.totalMs ?? openMs };
  const courses = works.map((work) => {
    const ownMs = plan.caseBudgetMs[work.manifest.id] ?? 0;
    return new CaseSchedule(work, timeMs === null ? common : { remainingMs: ownMs });
  });
  return { shared, courses, room };
}
