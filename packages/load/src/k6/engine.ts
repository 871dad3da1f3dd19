import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { accountant, type EndedProgram, runProgram, scratchFolder, usedBetween } from "@evenbench/host";
import { waitUntilMoment } from "../engine/loops.ts";
import {
  type ClientUsage,
  type PlayedStage,
  type StageTerms,
  type WatchedWindow,
  watchWindow,
  whatCut,
} from "../engine/stage.ts";
import type { LoadEngine } from "../options.ts";
import { bundleRateScript } from "./bundle-script.ts";
import { readLogs } from "./logs.ts";
import { clientEnvironment, findK6, HOW_TO_GET_K6, type K6Start, runK6 } from "./program.ts";
import { dueCount, OPEN_MS, playedStage, rateOf, type StagePlan } from "./rate.ts";

/** Milliseconds within which k6 has to say its version. */
const VERSION_WITHIN_MS = 30_000;

/**
 * Finds k6 as the client of a load.
 *
 * @throws {UserError} where there is none, or it does not say its version.
 */
export async function k6Engine(): Promise<LoadEngine> {
  const file = await findK6();
  if (file === null) {
    throw new UserError(HOW_TO_GET_K6);
  }
  const { failure, stdout } = await runProgram({ command: [file, "version"], withinMs: VERSION_WITHIN_MS });
  if (failure !== null) {
    throw new UserError(`${file} does not say its version: it ${failure}`);
  }
  const version = /\bv(\d+\.\d+\.\d+[^\s,]*)/.exec(stdout)?.[1] ?? stdout.trim();
  return { name: "k6", version, file };
}

/** A stage that k6 plays: of a rate, on instances of this machine. */
export interface K6Stage extends StageTerms {
  /** Origins of the target's instances; connections are spread over them in turn. */
  readonly origins: readonly string[];
  /** Milliseconds after which a request counts as failed. */
  readonly exchangeTimeoutMs: number;
}

/**
 * Plays one stage by k6 on this machine, and reads its and the target's CPU time meanwhile.
 *
 * @param k6 path of the program.
 * @throws {UserError} where k6 sent nothing.
 */
export async function runK6Stage(k6: string, stage: K6Stage): Promise<PlayedStage> {
  const plan = planOf(stage);
  await using folder = await scratchFolder("k6");
  const watched = await playWatched(k6, plan, stage, folder.path);
  return await readPlayed(watched, plan, stage);
}

/** Makes the plan that the script plays. */
function planOf({ load, origins, path, expected, exchangeTimeoutMs, stageMs }: K6Stage): StagePlan {
  if (load.kind === "closed") {
    throw new Error("k6 takes rates only.");
  }
  return {
    origins,
    path,
    expected,
    timeoutMs: exchangeTimeoutMs,
    isClosed: false,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: Math.round(stageMs),
  };
}

/** A stage that k6 has played. */
interface WatchedStage {
  /** Path of its log. */
  readonly log: string;
  readonly ended: EndedProgram;
  /** The start of the stage by `performance.now()`. */
  readonly startedAt: number;
  readonly window: WatchedWindow;
}

/** Plays a stage by k6, and watches its window. @param folder takes the script and the log. */
async function playWatched(
  k6: string,
  plan: StagePlan,
  stage: K6Stage,
  folder: string,
): Promise<WatchedStage> {
  const script = join(folder, "load.js");
  const log = join(folder, "load.log");
  const embedded = { edges: [], hash: "0".repeat(64), slotMs: 0, stages: [plan] };
  await writeFile(script, await bundleRateScript(embedded));
  // A timer that went on after k6's end would hold the process up.
  const over = new AbortController();
  let pid = 0;
  const start: K6Start = { k6, script, log, args: [], env: clientEnvironment("here"), signal: stage.signal };
  const noteProcess = (childPid: number): void => {
    pid = childPid;
  };
  const playing = runK6(start, noteProcess).finally(() => over.abort());
  const startedAt = (await begunAt(log, over.signal)) + OPEN_MS;
  const window = await watchWindow(stage, startedAt, over.signal, () => watchProcess(pid));
  return { log, ended: await playing, startedAt, window };
}

/** Begins to watch the CPU time of k6. @returns a function that reads its use since. */
function watchProcess(pid: number): () => Promise<ClientUsage> {
  const watchedFrom = performance.now();
  const before = accountant.read([pid]);
  return async () => {
    const cpuMs = usedBetween(await before, await accountant.read([pid]))?.cpuMs ?? null;
    return { wallMs: performance.now() - watchedFrom, cpuMs, eventLoopDelayP99Ms: null };
  };
}

/** Reads the log of a stage. @throws {UserError} where k6 sent nothing. */
async function readPlayed(
  { log, ended: { failure, code }, startedAt, window }: WatchedStage,
  plan: StagePlan,
  stage: K6Stage,
): Promise<PlayedStage> {
  const { signal } = stage;
  const { clients, lastWords } = await readLogs([log]);
  const { lines = [], lacks = null } = clients[0] ?? {};
  if (clients.length === 0 && !signal.aborted) {
    const words = lastWords === "" ? (failure ?? "said nothing") : `said ${lastWords}`;
    throw new UserError(`k6 sent nothing: it ${words}`);
  }
  const requests = lines.filter((line) => line.evenbench === "request");
  const times = {
    startMs: startedAt - stage.runStartedAt,
    fromMs: window.fromAt - startedAt,
    toMs: window.toAt - startedAt,
  };
  const wrong = signal.aborted ? null : await stage.prove();
  const { samples, counts } = playedStage(requests, plan, times, wrong);
  // k6 writes no line of what is under way as it is ended; what was due later is no fault of the target's.
  const due = dueCount({ ...plan, stageMs: Math.min(plan.stageMs, times.toMs) });
  const dropped = Math.max(0, due - counts.sent);
  const incomplete = lacks === null ? null : `k6's log ${lacks}`;
  const ended = whatCut(stage) ?? (code === null ? `k6 ${failure}` : incomplete);
  return { wrong, samples, outcome: { ...counts, ...window.used, queued: 0, dropped, ended } };
}

/** Milliseconds between two readings of the log, until the script has begun. */
const POLL_MS = 50;

/**
 * Waits until the script has begun.
 *
 * @returns the time of that by `performance.now()`; the present one where k6 ended before.
 */
async function begunAt(log: string, over: AbortSignal): Promise<number> {
  while (!over.aborted) {
    const logs = await readLogs([log]).catch(() => null);
    const begin = logs?.clients[0]?.begin;
    if (begin !== undefined) {
      return performance.now() - (Date.now() - Date.parse(begin.startedAt));
    }
    await waitUntilMoment(performance.now() + POLL_MS, over);
  }
  return performance.now();
}
