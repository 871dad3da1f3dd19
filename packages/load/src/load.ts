import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { LoadPlan, LoadRun } from "@evenbench/core";
import { createRunFolder } from "@evenbench/results";
import { appIdOf, RunError } from "@evenbench/runner";
import {
  type CoresApart,
  describeMachine,
  keepCoresApart,
  markMeasuring,
  ownVersion,
  runTargetOf,
} from "@evenbench/runner/engine";
import { startServices } from "@evenbench/services";
import { type LoadSession, loadCase } from "./case-load.ts";
import { LoadRecorder } from "./engine/recorder.ts";
import { MOST_WARMUP_MS } from "./engine/subject.ts";
import type { LoadOptions, LoadResult } from "./options.ts";
import { lengthsPerSet, stageTime } from "./plan/stage-time.ts";
import { prove } from "./prove.ts";

const SETS = 3;
/** Time for each case. A search takes its steps one after the other, and each must show a high quantile. */
const TIME_MS = { sweep: 60_000, capacity: 120_000 } as const;

/**
 * A whole load run: preflight, then case after case, each over several sets of fresh instances, with the stages of all
 * subjects in random order. Everything goes into a folder of its own under `out`. A subject that fails is dropped from its
 * set, with an event; an abort ends the run early, and what was measured is kept.
 *
 * @throws {RunError} when the run cannot begin (nothing to load, a target that does not start, preflight).
 * @throws {ResultsError} when the results folder cannot be written.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const plan = firstPlan(options);
  const out = options.out ?? "results";
  const { id, folder } = options.into ?? (await createRunFolder(out));
  const lock = markMeasuring(out);
  const cores = setApart(options.coresApart ?? true);
  const { split } = cores;
  const startedAt = performance.now();
  const recorder = new LoadRecorder(
    folder,
    startedAt,
    {
      schemaVersion: 1,
      id,
      startedAt: new Date().toISOString(),
      finishedAt: null,
      status: "running",
      evenbenchVersion: ownVersion(),
      plan,
      machine: describeMachine(split),
      identities: {},
      stages: [],
      events: [],
    },
    options.onEvent,
  );
  const finish = (status: LoadRun["status"]) =>
    recorder.save({ status, finishedAt: new Date().toISOString() });
  try {
    await recorder.save();
    for (const pid of lock.others) {
      recorder.event("other-run-active", `Another run (pid ${pid}) is measuring here: expect more scatter.`);
    }
    const logFolder = join(folder, "logs");
    const serverCores = split?.servers ?? null;
    await using services = await startServices(
      plan.cases.flatMap((manifest) => manifest.services),
      { logFolder, cores: serverCores },
    );
    const session = {
      options,
      plan,
      recorder,
      startedAt,
      ownCores: split !== null,
      signal: options.signal ?? new AbortController().signal,
      settings: {
        workers: 1,
        cores: serverCores,
        logFolder,
        environment: services.environment,
        exchangeTimeoutMs: options.exchangeTimeoutMs ?? 30_000,
      },
    };
    return { folder, run: await finish(await loadAll(session)) };
  } catch (error) {
    // A second failure (a full disk) would hide the first one, which says more.
    await finish("failed").catch(() => {});
    throw error;
  } finally {
    recorder.close();
    cores.restore();
    lock.release();
  }
}

/** The caller's own cores are the caller's to restore. */
function setApart(wanted: boolean | CoresApart): CoresApart {
  if (wanted === true) return keepCoresApart();
  return { split: wanted === false ? null : wanted.split, restore: () => {} };
}

async function loadAll(beginning: Omit<LoadSession, "identities">): Promise<LoadRun["status"]> {
  const { options, recorder, signal } = beginning;
  const { sets } = beginning.plan;
  const nowhere = { caseId: null, set: 0, sets, subject: null, load: null, stagesDone: 0, stagesMost: 0 };
  options.onProgress?.({ phase: "preflight", ...nowhere });
  const proved = await prove(options, beginning.settings, signal);
  const { identities, expectations } = proved;
  const plan = { ...beginning.plan, stageMs: stageMsOf(options, sets, proved.startMs) };
  for (const detail of proved.allowed) recorder.event("pin-allowed", detail);
  await recorder.save({ plan, identities });
  for (const [appId, cases] of Object.entries(options.cases)) {
    const choices = options.subjects.filter(({ target }) => appIdOf(target) === appId);
    for (const manifest of cases) {
      if (signal.aborted) break;
      const expected = expectations[manifest.id];
      if (expected === undefined)
        throw new Error(`Preflight let "${manifest.id}" pass without an expectation.`);
      await loadCase({ session: { ...beginning, plan, identities }, manifest, expected, choices });
    }
  }
  if (!signal.aborted) return recorder.hasFailures ? "failed" : "complete";
  recorder.event("interrupted", "The run was interrupted: it has what was measured until then.");
  return "interrupted";
}

function firstPlan({ subjects, cases, goal, ...options }: LoadOptions): LoadPlan {
  const all = Object.entries(cases).flatMap(([app, own]) => own.map((manifest) => ({ app, manifest })));
  if (all.length === 0) throw new RunError("There is nothing to load: no case was given.");
  const unserved = all.find(({ app }) => subjects.every(({ target }) => appIdOf(target) !== app));
  if (unserved !== undefined)
    throw new RunError(`There is nothing to load: no target serves "${unserved.manifest.id}".`);
  return {
    cases: all.map(({ manifest }) => manifest),
    subjects: subjects.map(({ target, ...subject }) => ({
      ...subject,
      target: runTargetOf({ name: target.name, source: target, twinOf: null }),
    })),
    loads: goal.kind === "sweep" ? goal.loads : [],
    condition: goal.kind === "capacity" ? goal.condition : null,
    sets: options.sets ?? SETS,
    stageMs: 0,
    seed: options.seed ?? randomInt(2 ** 32),
    allowedPins: options.allow ?? [],
  };
}

function stageMsOf(options: LoadOptions, sets: number, startMs: number): number {
  const instances = options.subjects.reduce((sum, subject) => sum + subject.instances, 0);
  return stageTime({
    timeMs: options.timeMs ?? TIME_MS[options.goal.kind],
    sets,
    lengthsPerSet: lengthsPerSet(options.goal, options.subjects.length),
    startMs: startMs + instances * MOST_WARMUP_MS,
  });
}
