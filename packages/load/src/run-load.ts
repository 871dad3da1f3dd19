import { type CaseManifest, UserError } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS, interleave } from "@evenbench/probe";
import { LOAD_FILE, type LoadPlan, type LoadRun, type LoadSample } from "@evenbench/results";
import {
  checkTargets,
  comparisons,
  describeTargets,
  type Ended,
  expectationOf,
  measure,
  pathOf,
  readMemory,
  withCache,
} from "@evenbench/runner";
import { MAX_SEARCH_STEPS, nextRate, type SearchStep } from "./capacity.ts";
import { UNMEASURED_SHARE } from "./engine/window.ts";
import { isBoundedInK6, WRITE_BOUNDED } from "./k6/bounded-pattern.ts";
import type { LoadedTarget, LoadGoal, LoadMeasuring, LoadOptions } from "./options.ts";
import {
  firstPlan,
  type LoadNeeds,
  needsOfCase,
  openFilesOfLoad,
  stageLengthOf,
  stageMsOf,
  stretchedTime,
  timeOf,
} from "./plan.ts";
import { type CaseLoad, TrialLoad } from "./trial-load.ts";

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
    assertBounded(plan.cases);
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

/** @throws {UserError} where k6 could look for a case's mask for ever. */
function assertBounded(cases: readonly CaseManifest[]): void {
  for (const { id, masks } of cases) {
    const unbounded = masks.find(({ pattern }) => !isBoundedInK6(pattern));
    if (unbounded !== undefined) {
      throw new UserError(
        `The mask "${unbounded.name}" of the case "${id}" is ${unbounded.pattern}: ${WRITE_BOUNDED}, or leave --engine out.`,
      );
    }
  }
}

/** A case of the load, with its targets and their warm-up. */
interface CaseUnderLoad extends LoadNeeds {
  readonly manifest: CaseManifest;
  readonly targets: readonly LoadedTarget[];
}

/** Checks the targets, completes the plan, and loads case after case. */
async function loadAll(measuring: LoadMeasuring, options: LoadOptions, first: LoadPlan): Promise<Ended> {
  const { recorder, signal } = measuring;
  showPreflight(options, first);
  const apps = comparisons(options);
  const proved = await checkTargets(apps, options, measuring);
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
  for (const planned of cases) {
    await loadCase({ options, plan, measuring, proved, ...planned });
    if (signal.aborted) {
      return "interrupted";
    }
    reportUnanswered(measuring, planned);
    await readMemoryOf({ options, plan, measuring, proved, ...planned });
    measuring.reportOthers();
  }
  return recorder.has("target-dropped") || recorder.has("case-failed") ? "failed" : "complete";
}

/** Shows that preflight begins. */
function showPreflight({ onProgress }: LoadOptions, { trials }: LoadPlan): void {
  onProgress?.({
    phase: "preflight",
    caseId: null,
    trial: 0,
    trials,
    target: null,
    load: null,
    stagesDone: 0,
    stagesMost: 0,
  });
}

/** Notes the targets that answered nothing under any load: they have no result, and the load has failed. */
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
    const detail = `${name} answered no request of ${id} under any load, so it has no result.`;
    recorder.event("case-failed", detail, { caseId: id, target: name });
  }
}

/** Loads the targets of one case, in trials with fresh instances. */
async function loadCase(work: CaseLoad): Promise<void> {
  const { options, plan, measuring } = work;
  const endsAt = performance.now() + timeOf(options);
  for (let trial = 0; trial < plan.trials && !measuring.signal.aborted; trial++) {
    await using instances = new TrialLoad(work, trial);
    await instances.start(endsAt);
    if (options.goal.kind === "sweep") {
      await sweepLoads(instances, options.goal);
    } else {
      await searchCapacity(instances, options.goal);
    }
  }
}

/** Reads the memory of each local target of a case, one after the other. One that fails stops no other. */
async function readMemoryOf({
  options,
  plan,
  measuring,
  proved,
  manifest,
  targets,
}: CaseLoad): Promise<void> {
  const { recorder } = measuring;
  const { memoryConnections: connections } = plan;
  for (const target of connections === undefined ? [] : targets) {
    if (target.place !== "local") {
      continue;
    }
    const { name } = target;
    const at = { caseId: manifest.id, target: name };
    const places = { trial: plan.trials - 1, trials: plan.trials, load: null, stagesDone: 1, stagesMost: 1 };
    options.onProgress?.({ phase: "memory", ...at, ...places });
    const request = { path: pathOf(target, manifest), expected: expectationOf(proved, manifest.id, name) };
    const failure = await readMemory(
      { name, target, request, connections: connections ?? 1 },
      measuring,
      (reading) => recorder.add("memory", { ...at, ...reading }),
    );
    if (failure !== null) {
      recorder.event("memory-failed", failure, at);
    }
    await recorder.save();
  }
}

/** Sends every load to every target, in one random order over both, so that a drift meanwhile meets all alike. */
async function sweepLoads(trial: TrialLoad, { loads }: Extract<LoadGoal, { kind: "sweep" }>): Promise<void> {
  const cells = trial.targets.flatMap((target) => loads.map((load) => ({ target, load })));
  for (const { target, load } of interleave(cells, trial.seedOf("order"))()) {
    await trial.stage(target, load, trial.work.plan.stageMs * stageLengthOf(load));
  }
}

/** Connections of the closed load by which a search begins, where the user allows as many. */
const FIRST_CONNECTIONS = 8;
/** Fraction of the closed load's rate that a search tries first. */
const FIRST_SHARE = 0.7;

/** The search for the highest rate at which a target keeps the condition. */
interface CapacitySearch {
  /** The rate of the first step, in requests per second. */
  readonly first: number;
  readonly steps: SearchStep[];
}

/**
 * Searches on all targets side by side: each step is taken on every target, in random order, before the next
 * one.
 */
async function searchCapacity(
  trial: TrialLoad,
  goal: Extract<LoadGoal, { kind: "capacity" }>,
): Promise<void> {
  const nextOrder = interleave(trial.targets, trial.seedOf("order"));
  const searches = await beginSearches(trial, goal, nextOrder());
  for (let step = 0; step < MAX_SEARCH_STEPS; step++) {
    for (const target of nextOrder()) {
      const search = searches.get(target);
      if (search !== undefined && !(await takeStep(trial, goal, target, search))) {
        searches.delete(target);
      }
    }
  }
}

/** Begins the searches: a closed load shows how much each target answers. One that answers nothing has no search. */
async function beginSearches(
  trial: TrialLoad,
  { connections }: Extract<LoadGoal, { kind: "capacity" }>,
  order: readonly string[],
): Promise<Map<string, CapacitySearch>> {
  const searches = new Map<string, CapacitySearch>();
  const load = { kind: "closed", connections: Math.min(FIRST_CONNECTIONS, connections) } as const;
  for (const target of order) {
    const { perSecond = 0 } = (await trial.stage(target, load, trial.work.plan.stageMs)) ?? {};
    if (perSecond > 0) {
      searches.set(target, { first: FIRST_SHARE * perSecond, steps: [] });
    }
  }
  return searches;
}

/** Tries the next rate of a search that is not over. @returns whether the search goes on. */
async function takeStep(
  trial: TrialLoad,
  { condition, arrivals, connections }: Extract<LoadGoal, { kind: "capacity" }>,
  target: string,
  { first, steps }: CapacitySearch,
): Promise<boolean> {
  const perSecond = nextRate(steps, first);
  if (perSecond === null) {
    return false;
  }
  const neededMs = stretchedTime(trial.work.plan.stageMs, perSecond, condition, 1 - UNMEASURED_SHARE);
  const seen = await trial.stage(target, { kind: "open", perSecond, arrivals, connections }, neededMs);
  const held = seen?.held ?? null;
  if (held === null) {
    // Nearby rates could not be decided either.
    return false;
  }
  steps.push({ perSecond, held });
  return true;
}
