import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { LoadPlan, LoadRun, LoadSample } from "@evenbench/results";
import { appIdOf } from "@evenbench/runner";
import {
  type Ended,
  expectationOf,
  measure,
  type Proved,
  prove,
  readDeployables,
} from "@evenbench/runner/engine";
import { loadCase } from "./case-load.ts";
import { type CaseNeeds, needsOfCase } from "./case-needs.ts";
import { firstPlan, stageMsOf } from "./load-plan.ts";
import { firstEntry, LOAD_FORMAT, type LoadMeasuring } from "./load-record.ts";
import type { LoadSession } from "./load-session.ts";
import type { LoadOptions, LoadResult } from "./options.ts";

/**
 * A whole load run. A subject that fails is dropped from its trial, with an event; an abort keeps what was
 * measured.
 *
 * @throws {RunError} when the run cannot begin (nothing to load, a target that does not start, preflight).
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const plan = firstPlan(options);
  const { folder, record } = await measure<LoadRun, LoadSample>(
    {
      place: options.into ?? options.out ?? "results",
      serverCores: (options.coresApart ?? true) ? "apart" : "all",
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
  const nowhere = { caseId: null, trial: 0, trials, subject: null, load: null, stagesDone: 0, stagesMost: 0 };
  options.onProgress?.({ phase: "preflight", ...nowhere });
  const apps = Object.keys(options.cases).map((appId) => appOf(options, appId));
  const proved = await prove(apps, options, measuring);
  if (signal.aborted) return "interrupted";
  const { identities } = proved;
  const needs = await needsOfCases(measuring, apps, proved);
  const plan = { ...first, stageMs: stageMsOf(options, trials, [...needs.values()]) };
  await recorder.save({ plan, identities });
  const session: LoadSession = { options, plan, measuring, identities };
  for (const { cases, choices } of apps) {
    for (const manifest of cases) {
      const { remembered } = needs.get(manifest.id) as CaseNeeds;
      const expected = expectationOf(proved, manifest.id);
      await loadCase({ session, manifest, expected, choices, warmUps: remembered });
      if (signal.aborted) return "interrupted";
      measuring.tellOthers();
    }
  }
  return recorder.has("target-dropped") ? "failed" : "complete";
}

/** What of an app gets load. Several subjects may be one target, as other numbers of instances. */
function appOf({ cases, subjects }: LoadOptions, appId: string) {
  const choices = subjects.filter(({ target }) => appIdOf(target) === appId);
  const targets = new Map(choices.map(({ target }) => [target.name, target]));
  return { cases: cases[appId] ?? [], targets: [...targets.values()], choices };
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
