import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core";
import { accountant, type ProcessAccount, scratchFolder } from "@evenbench/host";
import type { OpenLoad } from "@evenbench/results";
import {
  betweenTimes,
  bundleRateScript,
  clientEnvironment,
  findK6,
  HOW_TO_GET_K6,
  K6_ARGUMENTS,
  loadSampleOf,
  type RequestLine,
  rateOf,
  readLine,
  type StagePlan,
  startProgram,
  summariseRequests,
  UNMEASURED_SHARE,
} from "@evenbench/vantages";
import { HealthWatch, type StageOutcome, usageBetween } from "./engine/stage.ts";
import type { EngineStage, LoadEngine } from "./options.ts";

const START_MS = 3500;
const LEAST_STAGE_MS = 1000;

export async function k6Engine(): Promise<LoadEngine> {
  const file = await findK6();
  if (file === null) throw new UserError(HOW_TO_GET_K6);
  return {
    name: "k6",
    version: await versionOf(file),
    startMs: START_MS,
    leastStageMs: LEAST_STAGE_MS,
    runStage(stage) {
      if (stage.load.kind === "closed") throw new Error("k6 takes rates only.");
      return runK6Stage(file, stage.load, stage);
    },
  };
}

async function versionOf(file: string): Promise<string> {
  const said = await promisify(execFile)(file, ["version"]).then(
    ({ stdout }) => stdout,
    (error) => {
      throw new UserError(`${file} does not say its version: ${messageOf(error)}`);
    },
  );
  return /\bv(\d+\.\d+\.\d+\S*)/.exec(said)?.[1]?.replace(/,$/, "") ?? said.trim();
}

/** Has k6 play one stage, by the script that machines elsewhere play. */
export async function runK6Stage(file: string, load: OpenLoad, stage: EngineStage): Promise<StageOutcome> {
  const { origins, path, expected, exchangeTimeoutMs, signal } = stage;
  const plan: StagePlan = {
    origins,
    path,
    expected,
    timeoutMs: exchangeTimeoutMs,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: Math.round(stage.stageMs),
    isClosed: false,
  };
  const folder = await scratchFolder("k6");
  try {
    const script = join(folder, "load.js");
    await writeFile(
      script,
      await bundleRateScript({ hash: "0".repeat(64), slotMs: 0, stages: [plan], isWatched: true }),
    );
    return await play(await startK6(file, script, signal), plan, stage);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function play(k6: RunningK6, plan: StagePlan, stage: EngineStage): Promise<StageOutcome> {
  const { stageMs } = plan;
  const startedAt = await k6.begun;
  if (startedAt === null && !stage.signal.aborted) {
    throw new UserError(`k6 sent nothing. It said: ${k6.said() || "nothing"}`);
  }
  const origin = startedAt ?? performance.now();
  await untilOrEnd(origin + stageMs * UNMEASURED_SHARE, k6);
  stage.onWindow?.();
  const before = await readAll(k6, stage);
  await untilOrEnd(origin + stageMs, k6);
  const after = await readAll(k6, stage);
  await k6.ended;
  const lines = k6.requests();
  const { requests, sent, late, dropped } = summariseRequests(lines, plan);
  for (const request of requests)
    stage.sample(loadSampleOf(request, origin - stage.runStartedAt, plan.stageMs));
  return {
    sent,
    queued: 0,
    late,
    dropped: stage.signal.aborted ? 0 : dropped,
    ended: failureIn(lines, stage.signal) ?? (stage.signal.aborted ? "the run was interrupted" : null),
    startedAtMs: before.at - stage.runStartedAt,
    windowMs: after.at - before.at,
    ...betweenTimes(lines, before.at - origin, after.at - origin),
    usage: usageBetween(before.target, after.target),
    client: {
      wallMs: after.at - before.at,
      cpuMs: usageBetween(before.k6, after.k6)?.cpuMs ?? null,
      eventLoopDelayP99Ms: null,
    },
  };
}

/** @param at of `performance.now()`. A timer that went on after k6's end would hold the process up. */
async function untilOrEnd(at: number, { ended }: RunningK6): Promise<void> {
  const over = new AbortController();
  const reached = delay(Math.max(0, at - performance.now()), undefined, { signal: over.signal });
  await Promise.race([reached.catch(() => {}), ended]);
  over.abort();
}

function failureIn(lines: readonly RequestLine[], signal: AbortSignal): string | null {
  let now = 0;
  const health = new HealthWatch(signal, () => now);
  for (const line of lines.toSorted((a, b) => a.overAtMs - b.overAtMs)) {
    now = line.overAtMs;
    health.saw(line);
  }
  return health.failure;
}

interface Reading {
  readonly at: number;
  readonly target: ProcessAccount | null;
  readonly k6: ProcessAccount | null;
}

async function readAll({ pid }: RunningK6, { account }: EngineStage): Promise<Reading> {
  const at = performance.now();
  const [target, k6] = await Promise.all([account(), accountant.read([pid])]);
  return { at, target, k6 };
}

const KEPT_WORDS = 500;

export interface RunningK6 {
  readonly pid: number;
  /** When its first request was about to be sent, by `performance.now()`; null where it ended before. */
  readonly begun: Promise<number | null>;
  readonly ended: Promise<unknown>;
  requests(): readonly RequestLine[];
  said(): string;
}

export async function startK6(file: string, script: string, signal: AbortSignal): Promise<RunningK6> {
  const args = [...K6_ARGUMENTS, script];
  const { child, ended } = startProgram({ file, args, env: environment(), signal }, "pipe");
  // Kept as they come: taking lines apart would take time from what is measured.
  const chunks: Buffer[] = [];
  const linesOf = () =>
    Buffer.concat(chunks)
      .toString()
      .split("\n")
      .map((text) => ({ text, line: readLine(text) }));
  const begun = Promise.withResolvers<number | null>();
  let isBegun = false;
  child.stderr?.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (isBegun) return;
    for (const { line } of linesOf()) {
      if (typeof line === "string" || line.evenbench !== "stage") continue;
      isBegun = true;
      begun.resolve(performance.now() - (Date.now() - line.startedAt));
    }
  });
  const failed = ended.then(() => begun.resolve(null));
  await Promise.race([new Promise<void>((resolve) => child.once("spawn", resolve)), failed]);
  return {
    pid: child.pid ?? 0,
    begun: begun.promise,
    ended,
    requests: () =>
      linesOf().flatMap(({ line }) =>
        typeof line !== "string" && line.evenbench === "request" ? [line] : [],
      ),
    said: () =>
      linesOf()
        .flatMap(({ text, line }) => (line === "foreign" && text !== "" ? [text] : []))
        .join(" ")
        .slice(-KEPT_WORDS),
  };
}

/** Variables such as K6_DURATION would take the place of what the script says. */
function environment() {
  const unset = Object.keys(process.env).filter((name) => name.startsWith("K6_"));
  return { ...Object.fromEntries(unset.map((name) => [name, undefined])), ...clientEnvironment("here") };
}
