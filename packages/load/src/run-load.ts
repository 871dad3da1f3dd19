import { join } from "node:path";
import { EXCHANGE_TIMEOUT_MS, interleave } from "@evenbench/probe";
import { LOAD_FILE, type LoadPlan, type LoadRun, type LoadSample, type RunFolder } from "@evenbench/results";
import { checkTargets, comparisons, describeTargets, type Ended, measure } from "@evenbench/runner";
import { MOST_STEPS, nextRate, type SearchStep } from "./analysis.ts";
import { UNMEASURED_SHARE } from "./engine/window.ts";
import {
  DEFAULT_LOADS,
  type LoadGoal,
  type LoadMeasuring,
  type LoadOptions,
  SWEEP_FOLDER,
} from "./options.ts";
import { firstPlan, lengthOf, needsOfCase, openFilesOf, stageMsOf, stretchedTime, timeOf } from "./plan.ts";
import { type CaseLoad, TrialLoad } from "./trial-load.ts";

export async function runLoad(options: LoadOptions) {
  const plan = firstPlan(options);
  const { folder, record: run } = await measure<LoadRun, LoadSample>(
    {
      place: options.out ?? "results",
      serverCores: options.serverCores ?? "apart",
      services: plan.cases.flatMap((manifest) => manifest.services),
      workers: 1,
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      openFiles: openFilesOf(options),
      signal: options.signal,
      file: LOAD_FILE,
      ofSamples: () => ({}),
      firstEntry: (shell) => ({ schemaVersion: 2, ...shell, plan, identities: {}, stages: [] }),
      onEvent: options.onEvent,
    },
    (session) => loadAll(session, options, plan),
  );
  return { folder, run };
}

export async function sweepRun({ id, folder }: RunFolder, options: Omit<LoadOptions, "goal" | "out">) {
  const out = { id: `${id}-sweep`, folder: join(folder, SWEEP_FOLDER) };
  return runLoad({ ...options, out, goal: { kind: "sweep", loads: DEFAULT_LOADS } });
}

async function loadAll(measuring: LoadMeasuring, options: LoadOptions, first: LoadPlan): Promise<Ended> {
  const { recorder, signal } = measuring;
  const { trials } = first;
  const nowhere = { caseId: null, trial: 0, trials, target: null, load: null, stagesDone: 0, stagesMost: 0 };
  options.onProgress?.({ phase: "preflight", ...nowhere });
  const apps = comparisons(options);
  const proved = await checkTargets(apps, options, measuring);
  if (signal.aborted) {
    return "interrupted";
  }
  const { identities } = proved;
  const cases = apps.flatMap(({ cases: manifests, targets }) =>
    manifests.map((manifest) => ({ manifest, targets, ...needsOfCase(manifest, targets, proved) })),
  );
  const { targets } = await describeTargets(first.targets, identities);
  const plan = { ...first, targets, stageMs: stageMsOf(options, trials, cases) };
  await recorder.save({ plan, identities });
  for (const planned of cases) {
    await loadCase({ options, plan, measuring, proved, ...planned });
    if (signal.aborted) {
      return "interrupted";
    }
    tellUnanswered(measuring, planned);
    measuring.reportOthers();
  }
  return recorder.has("target-dropped") || recorder.has("case-failed") ? "failed" : "complete";
}

/** A target that answered nothing under any load has no result, and the load has failed. */
function tellUnanswered(
  { recorder }: LoadMeasuring,
  { manifest: { id }, targets }: Pick<CaseLoad, "manifest" | "targets">,
): void {
  const answered = new Set(
    recorder.record.stages.flatMap((stage) =>
      stage.caseId === id && stage.completed > 0 ? stage.target : [],
    ),
  );
  for (const { name } of targets) {
    if (answered.has(name)) {
      continue;
    }
    const detail = `${name} answered no request of ${id} under any load, so it has no result.`;
    recorder.event("case-failed", detail, { caseId: id, target: name });
  }
}

async function loadCase(work: CaseLoad): Promise<void> {
  const { options, plan, measuring } = work;
  const endsAt = performance.now() + timeOf(options);
  for (let trial = 0; trial < plan.trials && !measuring.signal.aborted; trial++) {
    await using instances = new TrialLoad(work, trial);
    await instances.start(endsAt);
    if (options.goal.kind === "sweep") {
      await sweepLoads(instances, options.goal);
    } else {
      await huntCapacity(instances, options.goal);
    }
  }
}

/** Every load on every target, in one random order over both: what drifts meanwhile hits all alike. */
async function sweepLoads(trial: TrialLoad, { loads }: Extract<LoadGoal, { kind: "sweep" }>): Promise<void> {
  const cells = trial.targets.flatMap((target) => loads.map((load) => ({ target, load })));
  for (const { target, load } of interleave(cells, trial.seedOf("order"))()) {
    await trial.stage(target, load, trial.work.plan.stageMs * lengthOf(load));
  }
}

const FIRST_CONNECTIONS = 8;
const FIRST_SHARE = 0.7;

/** The searches go on side by side: each step is taken on every target, in random order, before the next one. */
async function huntCapacity(
  trial: TrialLoad,
  { condition, arrivals, connections }: Extract<LoadGoal, { kind: "capacity" }>,
): Promise<void> {
  const { stageMs } = trial.work.plan;
  const nextOrder = interleave(trial.targets, trial.seedOf("order"));
  const searches = new Map<string, { readonly first: number; readonly steps: SearchStep[] }>();
  for (const target of nextOrder()) {
    const load = { kind: "closed", connections: Math.min(FIRST_CONNECTIONS, connections) } as const;
    const { perSecond = 0 } = (await trial.stage(target, load, stageMs)) ?? {};
    if (perSecond > 0) {
      searches.set(target, { first: FIRST_SHARE * perSecond, steps: [] });
    }
  }
  for (let step = 0; step < MOST_STEPS; step++) {
    for (const target of nextOrder()) {
      const search = searches.get(target);
      const perSecond = search === undefined ? null : nextRate(search.steps, search.first);
      if (search === undefined || perSecond === null) {
        continue;
      }
      const neededMs = stretchedTime(stageMs, perSecond, condition, 1 - UNMEASURED_SHARE);
      const seen = await trial.stage(target, { kind: "open", perSecond, arrivals, connections }, neededMs);
      if (seen === null) {
        searches.delete(target);
      } else {
        search.steps.push({ perSecond, held: seen.held === true });
      }
    }
  }
}
