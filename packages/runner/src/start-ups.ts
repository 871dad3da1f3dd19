// The CPU time of starts: until an app's modules are there and evaluated, without what starts alike without the app.
import { setTimeout as delay } from "node:timers/promises";
import { type CaseManifest, type Host, messageOf, quotesOf, type ServeOptions } from "@evenbench/core";
import { accountant, areAtRest } from "@evenbench/host";
import { interleave } from "@evenbench/probe";
import type { StartUp } from "@evenbench/results";
import type { CaseState } from "./case-state.ts";
import { type InstanceSettings, serveLocal } from "./instance.ts";
import { type LocalTarget, RunError } from "./options.ts";
import type { CaseSession } from "./planned-case.ts";
import { deriveSeed } from "./seed.ts";

/** Milliseconds between two readings of CPU time of processes that want no core, and what they use between them at most. */
const REST = { everyMs: 50, usedMs: 1 } as const;
/** Milliseconds within which processes have to come to rest. */
const WITHIN_MS = 30_000;

/** A target of this machine whose start can be measured. */
interface StartedTarget {
  readonly target: LocalTarget;
  /** The path whose function is started, where a platform starts one for each. */
  readonly path: string;
}

/** The part of a case that says what is started. */
interface StartedCase extends Pick<CaseState, "measuredTargets"> {
  readonly context: { readonly manifest: Pick<CaseManifest, "path"> };
}

/**
 * Measures the starts that the plan asks for, one at a time: of each local target whose platform has a way to, but
 * of no copy. A target that fails is not started again.
 *
 * @param cases all of the run.
 */
export async function measureStartUps(session: CaseSession, cases: readonly StartedCase[]): Promise<void> {
  const { plan, recorder, signal } = session;
  const failed = new Set<string>();
  const starts = measurableStarts(cases);
  const nextOrder = interleave(starts, deriveSeed(plan.seed, "start-up"));
  const repetitions = starts.length === 0 ? 0 : (plan.startUps ?? 0);
  for (let repetition = 0; repetition < repetitions; repetition++) {
    session.showProgress({
      phase: "startUp",
      caseId: null,
      trial: 0,
      trials: repetitions,
      roundIndex: repetition,
    });
    for (const started of nextOrder().filter(({ target }) => !failed.has(target.name))) {
      if (signal.aborted) {
        return;
      }
      const { name } = started.target;
      try {
        const times = await measureStart(started, session.instanceSettings, repetition);
        recorder.add("startUps", { target: name, repetition, ...times });
      } catch (problem) {
        if (!signal.aborted) {
          failed.add(name);
          const detail = `${name}: ${messageOf(problem)}`;
          recorder.event("start-up-failed", detail, { target: name, quotes: quotesOf(problem) });
        }
      }
    }
    recorder.flush();
  }
}

/** Lists the targets whose starts can be measured, each once, with the path of its first case. */
export function measurableStarts(cases: readonly StartedCase[]): readonly StartedTarget[] {
  const byName = new Map<string, StartedTarget>();
  for (const { measuredTargets, context } of cases) {
    for (const { name, target, copyOf } of measuredTargets) {
      const isMeasurable =
        copyOf === null && target.place === "local" && target.platform.startUp !== undefined;
      if (isMeasurable && !byName.has(name)) {
        byName.set(name, { target, path: context.manifest.path });
      }
    }
  }
  return [...byName.values()];
}

/** The CPU times of a start, of its control, and of what lies between them. */
type StartUpTimes = Pick<StartUp, "readyMs" | "controlMs" | "compiledMs">;

/** A start that is measured. */
type MeasuredStart = NonNullable<ServeOptions["startUp"]>;

/**
 * Starts a target and its control once, and between them the target with modules that are compiled alone, where its
 * platform has such a start. It reads the CPU time of all their threads.
 *
 * @param repetition decides which is first: the later of two starts takes a little more.
 * @throws {Error} where one does not start, or does not come to rest.
 */
export async function measureStart(
  { target, path }: StartedTarget,
  settings: InstanceSettings,
  repetition: number,
): Promise<StartUpTimes> {
  const starts = startsOf(target);
  const usedMs = new Map<MeasuredStart, number>();
  for (const start of repetition % 2 === 0 ? starts : starts.toReversed()) {
    const host = await serveLocal(startedAs(target, start, path), `${target.name}-${start}`, {
      ...settings,
      workers: 1,
    });
    try {
      usedMs.set(start, await cpuAtRest(host, settings));
    } finally {
      await host.stop();
    }
  }
  return {
    readyMs: usedMs.get("app") as number,
    controlMs: usedMs.get("control") as number,
    compiledMs: usedMs.get("compiled") ?? null,
  };
}

/** Lists the starts of which one measurement of a target consists. */
export function startsOf({ platform: { startUp } }: LocalTarget): readonly MeasuredStart[] {
  return startUp?.evaluatedAt == null ? ["control", "app"] : ["control", "compiled", "app"];
}

/** Makes the target whose start is measured. @param readyPath the path whose function is started. */
export function startedAs(target: LocalTarget, startUp: MeasuredStart, readyPath: string): LocalTarget {
  const serve: LocalTarget["platform"]["serve"] = (options) =>
    target.platform.serve({ ...options, readyPath, startUp });
  return { ...target, platform: { ...target.platform, serve } };
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
