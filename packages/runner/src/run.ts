import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Identity, Run, RunPlan } from "@evenbench/core";
import { readBuildRecord } from "@evenbench/deployable";
import { repositoryRoot } from "@evenbench/host";
import { describeUnconfirmed } from "@evenbench/preflight";
import type { Expectation } from "@evenbench/probe";
import { createRunFolder } from "@evenbench/results";
import { startServices } from "@evenbench/services";
import { runCase } from "./case.ts";
import { CaseWork, type Session } from "./case-work.ts";
import { measureColdStarts } from "./cold.ts";
import { hasFloor } from "./floor.ts";
import { type MeasuringLock, markMeasuring } from "./lock.ts";
import { type CoresApart, describeMachine, keepCoresApart } from "./machine.ts";
import { RunError, type RunOptions, type RunResult, type Target } from "./options.ts";
import {
  type CaseCost,
  DIGEST_EVERY,
  divideTime,
  LEAST_GENERATIONS,
  mostGenerations,
  TIME_FOR_A_CASE_MS,
} from "./plan.ts";
import { progressReporter } from "./progress.ts";
import { ProviderCpu } from "./provider-cpu.ts";
import { Recorder } from "./recorder.ts";
import { appIdOf, contendersOf, runTargetOf } from "./targets.ts";
import { verify } from "./verify.ts";

/**
 * A whole run: preflight, then case after case, each over several sets of fresh instances. Everything goes into a folder of
 * its own under `out` as it happens. Faults of single targets become events in `run.json`; an abort ends the run early, and
 * what was measured is kept.
 *
 * @throws {RunError} when the run cannot begin (nothing to compare, a target that does not start, preflight).
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const plan = firstPlan(options);
  const out = options.out ?? "results";
  const { id, folder } = await createRunFolder(out);
  const lock = markMeasuring(out);
  const cores = keepCoresApart();
  try {
    return await runInto({ id, folder, options, firstPlan: plan, lock, cores });
  } finally {
    cores.restore();
    lock.release();
  }
}

interface Beginning {
  readonly id: string;
  readonly folder: string;
  readonly options: RunOptions;
  readonly firstPlan: RunPlan;
  readonly lock: MeasuringLock;
  readonly cores: CoresApart;
}

async function runInto({ id, folder, options, firstPlan, lock, cores }: Beginning): Promise<RunResult> {
  const startedAt = performance.now();
  const signal = options.signal ?? new AbortController().signal;
  let plan = firstPlan;
  const machine = describeMachine(cores.split);
  const recorder = new Recorder(folder, startedAt, firstEntry(id, plan, machine), options.onEvent);
  let providerCpu: ProviderCpu | null = null;
  const finish = async (status: Run["status"]): Promise<RunResult> => {
    recorder.flush();
    await providerCpu?.report(recorder);
    return { folder, run: await recorder.save({ status, finishedAt: new Date().toISOString() }) };
  };
  const interrupted = (): Promise<RunResult> => {
    recorder.event("interrupted", "The run was interrupted: it has what was measured until then.");
    return finish("interrupted");
  };

  try {
    await recorder.save({ deployables: await readDeployables(options.targets) });
    for (const { name, detail } of options.missing ?? []) {
      recorder.event("build-failed", detail, { target: name });
    }
    for (const pid of lock.others) {
      recorder.event("other-run-active", `Another run (pid ${pid}) is measuring here: expect more scatter.`);
    }
    const progress = progressReporter(
      options.onProgress,
      plan.cases.map((manifest) => manifest.id),
    );
    const logFolder = join(folder, "logs");
    const serverCores = cores.split?.servers ?? null;
    await using services = await startServices(
      plan.cases.flatMap((manifest) => manifest.services),
      { logFolder, cores: serverCores },
    );
    const instanceSettings = {
      workers: options.workers ?? 1,
      cores: serverCores,
      logFolder,
      environment: services.environment,
      exchangeTimeoutMs: options.exchangeTimeoutMs ?? 30_000,
    };
    const proving = {
      phase: "preflight",
      caseId: null,
      generation: 0,
      generations: 0,
      roundIndex: 0,
    } as const;
    progress.show(proving);

    const identities: Record<string, Identity> = {};
    const expectations: Record<string, Expectation> = {};
    const costs: Record<string, CaseCost> = {};
    const verifyOptions = {
      otherCaseIds: options.otherCaseIds ?? [],
      allow: options.allow ?? [],
      twinned: new Set(plan.targets.flatMap(({ twinOf }) => twinOf ?? [])),
      signal,
    };
    for (const { targets, cases } of comparisons(options)) {
      const verified = await verify(targets, cases, verifyOptions, instanceSettings);
      if (signal.aborted) return await interrupted();
      Object.assign(identities, verified.identities);
      Object.assign(expectations, verified.expectations);
      Object.assign(costs, verified.costs);
      for (const sentence of verified.differences) recorder.event("body-varies", sentence);
      for (const [caseId, golden] of Object.entries(verified.toConfirm)) {
        recorder.event("golden-unconfirmed", describeUnconfirmed(caseId, golden), { caseId });
      }
      for (const { what, values } of verified.warnings) {
        recorder.event("pin-allowed", `${what} It was allowed: ${JSON.stringify(values)}.`);
      }
    }

    plan = withPlatforms(withTime(plan, costs, options), identities);
    progress.plan(plan.caseBudgetMs);
    await recorder.save({ plan, identities });
    const showProgress = progress.show;
    const { seed } = plan;
    providerCpu = options.providerCpu ? new ProviderCpu(id, plan.targets, options.targets) : null;
    const session: Session = {
      seed,
      signal,
      startedAt,
      recorder,
      instanceSettings,
      identities,
      providerCpu,
      showProgress,
    };
    for (const { cases, contenders } of comparisons(options)) {
      for (const manifest of cases) {
        const budgetMs = plan.caseBudgetMs[manifest.id] ?? 0;
        const generations = options.generations ?? generationsOf(plan, costs, manifest.id);
        const expected = expectations[manifest.id];
        if (expected === undefined)
          throw new Error(`Preflight let "${manifest.id}" pass without an expectation.`);
        const request = { path: manifest.path, expected };
        progress.startCase(manifest.id);
        const work = new CaseWork(session, {
          manifest,
          requestOf: () => request,
          contenders,
          rounds: plan.roundsPerGeneration,
          generations,
          keepSamples: generations > plan.generations.minimum,
          hasFloor: hasFloor(request),
        });
        await runCase(work, budgetMs, plan.precision);
        if (!signal.aborted) await measureColdStarts(work, plan.coldStarts);
        if (signal.aborted) return await interrupted();
        await recorder.save();
      }
    }
    return await finish(recorder.has("case-failed") ? "failed" : "complete");
  } catch (error) {
    // A second failure (a full disk) would hide the first one, which says more.
    await finish("failed").catch(() => {});
    throw error;
  } finally {
    recorder.close();
  }
}

/** The targets and cases of each app, which are compared with one another. */
function comparisons(options: RunOptions) {
  return Object.entries(options.cases)
    .filter(([, cases]) => cases.length > 0)
    .map(([appId, cases]) => ({
      cases,
      targets: options.targets.filter((target) => appIdOf(target) === appId),
      contenders: contendersOf(options.targets, appId, options.baseline ?? "node"),
    }));
}

/** The plan as far as it is known before preflight. */
function firstPlan(options: RunOptions): RunPlan {
  const compared = comparisons(options);
  const cases = compared.flatMap((comparison) => comparison.cases);
  if (cases.length === 0) throw new RunError("There is nothing to measure: no case was given.");
  const empty = compared.find(({ targets }) => targets.length === 0)?.cases[0];
  if (empty !== undefined) throw new RunError(`There is nothing to measure: no target serves "${empty.id}".`);
  const least = options.generations ?? LEAST_GENERATIONS;
  return {
    cases,
    targets: compared.flatMap(({ contenders }) => contenders.map(runTargetOf)),
    seed: options.seed ?? randomInt(2 ** 32),
    caseBudgetMs: {},
    generations: { minimum: least, maximum: least },
    roundsPerGeneration: options.rounds ?? null,
    precision: options.precision ?? 0.02,
    coldStarts: options.coldStarts ?? 0,
    digestEvery: DIGEST_EVERY,
    allowedPins: options.allow ?? [],
  };
}

function withTime(plan: RunPlan, costs: Readonly<Record<string, CaseCost>>, options: RunOptions): RunPlan {
  const { timeMs = null, totalMs = TIME_FOR_A_CASE_MS * plan.cases.length } = options;
  const caseBudgetMs =
    timeMs === null
      ? divideTime(costs, totalMs, plan.generations.minimum)
      : Object.fromEntries(plan.cases.map(({ id }) => [id, timeMs]));
  const withBudget = { ...plan, caseBudgetMs };
  const most = plan.cases.map(({ id }) => generationsOf(withBudget, costs, id));
  const maximum = options.generations ?? Math.max(...most);
  return { ...plan, caseBudgetMs, generations: { ...plan.generations, maximum } };
}

function generationsOf(plan: RunPlan, costs: Readonly<Record<string, CaseCost>>, caseId: string): number {
  const cost = costs[caseId] ?? { roundMs: 0, startMs: 0 };
  return mostGenerations(plan.caseBudgetMs[caseId] ?? 0, plan.roundsPerGeneration, cost);
}

/** A URL's platform is what its identity says. */
function withPlatforms(plan: RunPlan, identities: Readonly<Record<string, Identity>>): RunPlan {
  const targets = plan.targets.map((target) => ({
    ...target,
    platform: target.platform ?? identities[target.twinOf ?? target.name]?.platform ?? null,
  }));
  return { ...plan, targets };
}

/** `run.json` before anything has happened. */
export function firstEntry(id: string, plan: RunPlan, machine: Run["machine"]): Omit<Run, "events"> {
  return {
    schemaVersion: 1,
    id,
    startedAt: new Date().toISOString(),
    finishedAt: null,
    status: "running",
    evenbenchVersion: ownVersion(),
    plan,
    machine,
    identities: {},
    deployables: {},
    usage: [],
    clientLoad: [],
    timelines: [],
    coldStarts: [],
  };
}

async function readDeployables(targets: readonly Target[]): Promise<Run["deployables"]> {
  const local = targets.filter((target) => target.place === "local");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}

export function ownVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(repositoryRoot, "package.json"), "utf8"),
  );
  return manifest.version;
}
