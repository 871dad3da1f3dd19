import { type CaseManifest, formatDuration } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { LOAD_FILE, type LoadPlan, type LoadRun, type LoadSample } from "@evenbench/results";
import {
  checkTargets,
  comparisons,
  describeTargets,
  type Ended,
  measure,
  recordMemory,
  withCache,
} from "@evenbench/runner";
import { searchCapacity, sweepLoads } from "./goals.ts";
import { assertBoundedInK6 } from "./k6/bounded-pattern.ts";
import {
  LOAD_PHASES,
  type LoadedTarget,
  type LoadMeasuring,
  type LoadOptions,
  type LoadProgress,
} from "./options.ts";
import {
  endsAfter,
  firstPlan,
  type LoadNeeds,
  needsOfCase,
  openFilesOfLoad,
  plannedMsOf,
  stageMsOf,
  timeOf,
} from "./plan.ts";
import { type CaseLoad, requestOf, TrialLoad } from "./trial-load.ts";

/** A load that was measured. */
export interface MeasuredLoad {
  /** Path of its folder. */
  readonly folder: string;
  /** The record, as `load.json` has it. */
  readonly run: LoadRun;
}

/**
 * Measures targets under load, and writes a load run.
 *
 * @throws {RunError} where there is nothing to load, or preflight refuses the targets.
 * @throws {UserError} where a case has a mask that the client cannot bound.
 */
export async function runLoad(options: LoadOptions): Promise<MeasuredLoad> {
  const plan = firstPlan(options);
  if (options.engine) {
    assertBoundedInK6(plan.cases);
  }
  const { folder, record: run } = await measure<LoadRun, LoadSample>(
    {
      place: options.out ?? "results",
      asked: options.asked,
      serverCores: options.serverCores ?? "apart",
      services: plan.cases.flatMap((manifest) => manifest.services),
      workers: 1,
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      openFiles: openFilesOfLoad(options),
      signal: options.signal,
      file: LOAD_FILE,
      ofSamples: (samples) => ({ samples }),
      firstEntry: (shell) => ({
        schemaVersion: 2,
        ...shell,
        samples: null,
        plan,
        identities: {},
        stages: [],
        ...(options.memory === true && { memory: [] }),
      }),
      onEvent: options.onEvent,
    },
    (session) => loadAll(session, options, plan),
  );
  return { folder, run };
}

/** A case of the load, with its targets and their warm-up. */
interface CaseUnderLoad extends LoadNeeds {
  readonly manifest: CaseManifest;
  readonly targets: readonly LoadedTarget[];
}

/** The progress that is shown before preflight. */
const AT_START = {
  phase: "preflight",
  caseId: null,
  trial: 0,
  target: null,
  load: null,
  stagesDone: 0,
  stagesMost: 0,
} as const;

/** Checks the targets, completes the plan, and loads case after case. */
async function loadAll(session: LoadMeasuring, options: LoadOptions, first: LoadPlan): Promise<Ended> {
  const { recorder, signal } = session;
  options.onProgress?.({ ...AT_START, trials: first.trials });
  const apps = comparisons(options);
  const proved = await checkTargets(apps, options, session);
  if (signal.aborted) {
    return "interrupted";
  }
  const { identities } = proved;
  const cases = apps.flatMap(({ cases: manifests, targets }) =>
    manifests.map((manifest): CaseUnderLoad => {
      return { manifest, targets, ...needsOfCase(manifest, targets, proved) };
    }),
  );
  const targets = await describeTargets(first.targets, identities);
  const plan: LoadPlan = {
    ...first,
    cases: first.cases.map((manifest) => withCache(manifest, proved)),
    targets,
    stageMs: stageMsOf(options, first.trials, cases),
    ...(Object.keys(proved.masks).length > 0 && { masksFound: proved.masks }),
  };
  await recorder.save({ plan, identities });
  const plannedMs = plannedMsOf(options, plan, cases);
  const endsAfterMs = endsAfter(plannedMs);
  // Each wait for a server has an end of its own; there may be many of them.
  const end = AbortSignal.any([signal, AbortSignal.timeout(endsAfterMs)]);
  const instanceSettings = { ...session.instanceSettings, signal: end };
  const measuring: LoadMeasuring = { ...session, signal: end, instanceSettings };
  let last: Pick<LoadProgress, "target" | "phase"> = { target: null, phase: "start" };
  const onProgress = (progress: LoadProgress): void => {
    last = progress;
    options.onProgress?.(progress);
  };
  const unmeasured: string[] = [];
  for (const planned of cases) {
    const loading = { plan, measuring, interruption: signal, proved, ...planned };
    const work = { ...loading, options: { ...options, onProgress } };
    const trials = await loadCase(work);
    if (!measuring.signal.aborted) {
      reportUnanswered(measuring, planned);
      await readMemory(work);
      measuring.reportOthers();
    }
    if (measuring.signal.aborted) {
      const measured = trials < plan.trials ? `${trials} of ${plan.trials} trials` : "not its memory";
      unmeasured.push(`${planned.manifest.id} (${measured})`);
    }
  }
  if (signal.aborted) {
    return "interrupted";
  }
  if (unmeasured.length > 0) {
    const detail = describeEnd(plannedMs, endsAfterMs, last, unmeasured);
    recorder.event("load-ended", detail, { target: last.target });
    return "failed";
  }
  return recorder.has("target-dropped") || recorder.has("case-failed") ? "failed" : "complete";
}

/** Says why a load was ended, what it waited for then, what it has not measured, and what helps. */
function describeEnd(
  plannedMs: number,
  endedAfterMs: number,
  { target, phase }: Pick<LoadProgress, "target" | "phase">,
  unmeasured: readonly string[],
): string {
  return [
    `The load was ended after ${formatDuration(endedAfterMs)}, as it waited for ${target ?? "its targets"}`,
    `(${LOAD_PHASES[phase]}): it was planned for ${formatDuration(plannedMs)}, and servers took the rest to start,`,
    "to take connections or to answer.",
    `Not measured to the end: ${unmeasured.join(", ")}.`,
    "Offer less at a time (--concurrency, --rate, --connections), or give it more --time.",
  ].join(" ");
}

/** Notes the targets that answered nothing in any measured window: they have no result, and the load has failed. */
function reportUnanswered(
  { recorder }: LoadMeasuring,
  { manifest: { id }, targets }: Pick<CaseUnderLoad, "manifest" | "targets">,
): void {
  const completed = recorder.record.stages.filter((stage) => stage.caseId === id && stage.completed > 0);
  const answered = new Set(completed.map(({ target }) => target));
  for (const { name } of targets) {
    if (answered.has(name)) {
      continue;
    }
    const detail = `${name} answered no request of ${id} within a measured window, so it has no result.`;
    recorder.event("case-failed", detail, { caseId: id, target: name });
  }
}

/** Loads the targets of one case, in trials with fresh instances. @returns how many trials were measured to their end. */
async function loadCase(work: CaseLoad): Promise<number> {
  const { options, plan, measuring } = work;
  const endsAt = performance.now() + timeOf(options);
  let done = 0;
  while (done < plan.trials && !measuring.signal.aborted) {
    await loadTrial(work, done, endsAt);
    done += measuring.signal.aborted ? 0 : 1;
  }
  return done;
}

/** Loads the targets of one case in one trial. @param endsAt the end of the case's time by `performance.now()`. */
async function loadTrial(work: CaseLoad, trial: number, endsAt: number): Promise<void> {
  const { goal } = work.options;
  await using instances = new TrialLoad(work, trial);
  await instances.start(endsAt);
  if (goal.kind === "sweep") {
    await sweepLoads(instances, goal);
  } else {
    await searchCapacity(instances, goal);
  }
}

/** Reads the memory of each target of a case, where that was asked for. */
async function readMemory(work: CaseLoad): Promise<void> {
  const { options, plan, measuring, manifest, targets } = work;
  const { trials, memoryConnections: connections } = plan;
  if (connections === undefined) {
    return;
  }
  const caseId = manifest.id;
  const orders = targets.map((target) => ({ target, request: requestOf(work, target), connections }));
  const place = { phase: "memory", caseId, trial: trials - 1, trials } as const;
  await recordMemory(measuring, caseId, orders, (target) =>
    options.onProgress?.({ ...place, target, load: null, stagesDone: 1, stagesMost: 1 }),
  );
}
