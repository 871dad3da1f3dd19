// The CPU time of starts: until an app's modules are there and evaluated, without what starts alike without the app.
import { setTimeout as delay } from "node:timers/promises";
import { type Host, messageOf } from "@evenbench/core";
import { ask } from "@evenbench/core/http";
import { accountant, areAtRest } from "@evenbench/host";
import { interleave } from "@evenbench/probe";
import type { StartUp } from "@evenbench/results";
import { type InstanceSettings, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";
import type { CaseSession } from "./planned-case.ts";
import { deriveSeed } from "./seed.ts";
import type { MeasuredTarget } from "./targets.ts";

/** Milliseconds between two readings of CPU time of processes that want no core, and what they use between them at most. */
const REST = { everyMs: 50, usedMs: 1 } as const;
/** Milliseconds within which processes have to come to rest, and the request that evaluates modules has to be answered. */
const WITHIN_MS = 30_000;
/** A path that no module of an app is evaluated for. */
export const EMPTY_PATH = "/evenbench-empty";

/** A target of this machine whose start can be measured. */
type LocalMeasured = MeasuredTarget & { readonly target: LocalTarget };

/**
 * Measures the starts that the plan asks for, one at a time: of each local target whose platform has a way to, but
 * of no copy. A target that fails is not started again.
 *
 * @param byCase the targets of each case.
 */
export async function measureStartUps(
  session: CaseSession,
  byCase: readonly (readonly MeasuredTarget[])[],
): Promise<void> {
  const { plan, recorder, signal } = session;
  const names = new Map(byCase.flat().map((measured) => [measured.name, measured]));
  const local = [...names.values()].filter(isMeasurable);
  const failed = new Set<string>();
  const nextOrder = interleave(local, deriveSeed(plan.seed, "start-up"));
  for (let repetition = 0; repetition < (plan.startUps ?? 0); repetition++) {
    for (const { name, target } of nextOrder().filter((measured) => !failed.has(measured.name))) {
      if (signal.aborted) {
        return;
      }
      try {
        const times = await measureStart(target, name, session.instanceSettings, repetition);
        recorder.add("startUps", { target: name, repetition, ...times });
      } catch (problem) {
        if (!signal.aborted) {
          failed.add(name);
          recorder.event("start-up-failed", `${name}: ${messageOf(problem)}`, { target: name });
        }
      }
    }
    recorder.flush();
  }
}

function isMeasurable(measured: MeasuredTarget): measured is LocalMeasured {
  const { target, copyOf } = measured;
  return copyOf === null && target.place === "local" && target.platform.startUp !== undefined;
}

/** The CPU times of a start and of its control. */
type StartUpTimes = Pick<StartUp, "readyMs" | "controlMs" | "evaluation">;

/**
 * Starts a target and its control once, and reads the CPU time of all their threads.
 *
 * @param repetition decides which is first: the later of two starts takes a little more.
 * @throws {Error} where one does not start, does not come to rest, or does not evaluate its modules.
 */
export async function measureStart(
  target: LocalTarget,
  logName: string,
  settings: InstanceSettings,
  repetition: number,
): Promise<StartUpTimes> {
  const evaluatedAt = target.platform.startUp?.evaluatedAt ?? null;
  const start = (startUp: "app" | "control") =>
    serveLocal(startedAs(target, startUp), `${logName}-${startUp}`, { ...settings, workers: 1 });
  const startControl = async () => withHost(await start("control"), (host) => cpuAtRest(host, settings));
  const startApp = async () =>
    withHost(await start("app"), async (host) => {
      const readyMs = await cpuAtRest(host, settings);
      const evaluation = evaluatedAt === null ? null : await evaluate(host, evaluatedAt, settings);
      return { readyMs, evaluation };
    });
  if (repetition % 2 === 0) {
    const controlMs = await startControl();
    return { ...(await startApp()), controlMs };
  }
  const times = await startApp();
  return { ...times, controlMs: await startControl() };
}

/** Makes the target whose start is measured: the app's, or its control's. */
export function startedAs(target: LocalTarget, startUp: "app" | "control"): LocalTarget {
  const serve: LocalTarget["platform"]["serve"] = (options) => target.platform.serve({ ...options, startUp });
  return { ...target, platform: { ...target.platform, serve } };
}

async function withHost<Result>(host: Host, use: (host: Host) => Promise<Result>): Promise<Result> {
  try {
    return await use(host);
  } finally {
    await host.stop();
  }
}

/** Measures the request that evaluates an app's modules, and an empty one, each after one that warms up nothing of the app. */
async function evaluate(
  host: Host,
  path: string,
  settings: InstanceSettings,
): Promise<StartUp["evaluation"]> {
  await costOf(host, EMPTY_PATH, settings);
  const requestMs = await costOf(host, path, settings);
  const emptyMs = await costOf(host, EMPTY_PATH, settings);
  return { requestMs, emptyMs };
}

/** Asks for a path, and gives the CPU time that this took until all was at rest. @throws {RunError} as `askToStart` does. */
async function costOf(host: Host, path: string, settings: InstanceSettings): Promise<number> {
  const before = await cpuAtRest(host, settings);
  await askToStart(host, path, settings);
  return Math.max(0, (await cpuAtRest(host, settings)) - before);
}

/** Asks a host whose start is measured for a path. @throws {RunError} for a status that is no success. */
export async function askToStart(host: Host, path: string, { signal }: InstanceSettings): Promise<void> {
  const { status } = await ask(host.url + path, { headers: {}, agent: false, timeoutMs: WITHIN_MS, signal });
  if (status >= 300) {
    throw new RunError(`its modules were not evaluated (HTTP ${status}). Its log says why.`);
  }
}

/** Waits until a host's processes rest. @returns the CPU time of all their threads since their start, in milliseconds. */
async function cpuAtRest(host: Host, { signal }: InstanceSettings): Promise<number> {
  const endsAt = performance.now() + WITHIN_MS;
  let before = await cpuOf(host);
  while (performance.now() < endsAt) {
    await delay(REST.everyMs, undefined, { signal });
    const now = await cpuOf(host);
    if (now - before < REST.usedMs && areAtRest(host.pids())) {
      return now;
    }
    before = now;
  }
  throw new RunError(`its processes did not come to rest within ${WITHIN_MS / 1000} s.`);
}

async function cpuOf(host: Host): Promise<number> {
  const account = await accountant.read(host.pids());
  if (account?.liveThreadsMs == null) {
    throw new RunError("the system does not account for the CPU time of threads.");
  }
  return account.liveThreadsMs;
}
