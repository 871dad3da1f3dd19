import { OWN_SERVER_APP } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS, interleave } from "@evenbench/probe";
import type { LoadPlan, LoadRun, LoadSample, OfferedLoad } from "@evenbench/results";
import { appIdOf } from "@evenbench/runner";
import {
  describeTargets,
  type Ended,
  expectationOf,
  measure,
  type Proved,
  prove,
  readDeployables,
} from "@evenbench/runner/engine";
import { huntCapacity } from "./capacity-hunt.ts";
import type { LoadOptions, LoadResult, TargetChoice } from "./options.ts";
import { firstPlan, lengthOf, stageMsOf, timeOf } from "./plan.ts";
import {
  type CaseLoad,
  type CaseNeeds,
  firstEntry,
  LOAD_FORMAT,
  type LoadMeasuring,
  type LoadSession,
  needsOfCase,
} from "./session.ts";
import { TrialLoad } from "./trial-load.ts";

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const plan = firstPlan(options);
  const { folder, record } = await measure<LoadRun, LoadSample>(
    {
      place: options.into ?? options.out ?? "results",
      serverCores: options.serverCores ?? "apart",
      services: plan.cases.flatMap((manifest) => manifest.services),
      workers: 1,
      exchangeTimeoutMs: options.exchangeTimeoutMs ?? EXCHANGE_TIMEOUT_MS,
      warmUpFile: options.warmUpFile,
      signal: options.signal,
      format: LOAD_FORMAT,
      firstEntry: (shell) => firstEntry(shell, plan),
      onEvent: options.onEvent,
    },
    (session) => loadAll(session, options, plan),
  );
  return { folder, run: record };
}

async function loadAll(measuring: LoadMeasuring, options: LoadOptions, first: LoadPlan): Promise<Ended> {
  const { recorder, signal } = measuring;
  const { trials } = first;
  const nowhere = { caseId: null, trial: 0, trials, target: null, load: null, stagesDone: 0, stagesMost: 0 };
  options.onProgress?.({ phase: "preflight", ...nowhere });
  const apps = Object.keys(options.cases).map((appId) => appOf(options, appId));
  const proved = await prove(apps, options, measuring);
  if (signal.aborted) return "interrupted";
  const { identities } = proved;
  const needs = await needsOfCases(measuring, apps, proved);
  const targets = await describedTargets(first, identities);
  const plan = { ...first, targets, stageMs: stageMsOf(options, trials, [...needs.values()]) };
  await recorder.save({ plan, identities });
  const session: LoadSession = { options, plan, measuring, identities };
  for (const { cases, choices } of apps) {
    for (const manifest of cases) {
      const { needs: warmUps } = needs.get(manifest.id) as CaseNeeds;
      const expectedOf = ({ target }: TargetChoice) => expectationOf(proved, manifest.id, target.name);
      await loadCase({ session, manifest, expectedOf, choices, warmUps });
      if (signal.aborted) return "interrupted";
      measuring.tellOthers();
    }
  }
  return recorder.has("target-dropped") ? "failed" : "complete";
}

async function describedTargets(
  { targets }: LoadPlan,
  identities: Proved["identities"],
): Promise<LoadPlan["targets"]> {
  if (targets.every(({ target }) => target.app === OWN_SERVER_APP)) return targets;
  const described = await describeTargets(
    targets.map(({ target }) => target),
    identities,
  );
  return targets.map((planned, index) => ({ ...planned, target: described[index] ?? planned.target }));
}

function appOf({ cases, targets }: LoadOptions, appId: string) {
  const choices = targets.filter(({ target }) => appIdOf(target) === appId);
  const distinct = new Map(choices.map(({ target }) => [target.name, target]));
  return { cases: cases[appId] ?? [], targets: [...distinct.values()], choices };
}

async function needsOfCases(
  measuring: LoadMeasuring,
  apps: readonly ReturnType<typeof appOf>[],
  proved: Proved,
): Promise<Map<string, CaseNeeds>> {
  const deployables = await readDeployables(apps.flatMap(({ targets }) => targets));
  return new Map(
    apps.flatMap(({ cases, choices }) =>
      cases.map(
        (manifest) =>
          [manifest.id, needsOfCase(measuring, manifest, choices, { ...proved, deployables })] as const,
      ),
    ),
  );
}

async function loadCase(work: CaseLoad): Promise<void> {
  const { options, plan, measuring } = work.session;
  const { goal } = options;
  const endsAt = performance.now() + timeOf(options);
  for (let trial = 0; trial < plan.trials && !measuring.signal.aborted; trial++) {
    const instances = await TrialLoad.start(work, trial, endsAt);
    work.warmUps.keep();
    try {
      if (goal.kind === "sweep") await sweepLoads(instances, goal.loads);
      else await huntCapacity(instances, goal);
    } finally {
      await instances.stop();
    }
  }
}

/** Every load on every target, in one random order over both: what drifts meanwhile hits all alike. */
async function sweepLoads(trial: TrialLoad, loads: readonly OfferedLoad[]): Promise<void> {
  const cells = trial.targets.flatMap((target) => loads.map((load) => ({ target, load })));
  const { stageMs } = trial.work.session.plan;
  for (const { target, load } of interleave(cells, trial.seedOf("order"))()) {
    await trial.stage(target, load, stageMs * lengthOf(load));
  }
}
