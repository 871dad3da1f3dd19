import { spawn } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "@evenbench/core";
import { accountant, type ProcessAccount, scratchFolder } from "@evenbench/host";
import type { OpenLoad } from "@evenbench/results";
import { bundleForK6, K6_ARGUMENTS } from "@evenbench/vantages";
import { HealthWatch } from "../engine/health-watch.ts";
import { LATE_MS } from "../engine/loops.ts";
import { type StageOutcome, UNMEASURED_SHARE, usageBetween } from "../engine/stage.ts";
import type { EngineStage } from "../options.ts";
import { dueRequests, meanUnderWay, sampleOf } from "./requests.ts";
import {
  dueCount,
  type K6BeginLine,
  type K6Line,
  type K6RequestLine,
  type K6StagePlan,
  LINE_START,
  rateOf,
} from "./stage-plan.ts";

const ENTRY = join(import.meta.dirname, "script.ts");

export async function runK6Stage(file: string, load: OpenLoad, stage: EngineStage): Promise<StageOutcome> {
  const folder = await scratchFolder("k6");
  try {
    const plan = planOf(load, stage);
    const script = join(folder, "load.js");
    await writeFile(script, await bundleForK6(ENTRY, plan));
    return await play(await startK6(file, script, stage.signal), plan, stage);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function planOf(load: OpenLoad, stage: EngineStage): K6StagePlan {
  const { origins, path, expected, exchangeTimeoutMs, stageMs } = stage;
  return {
    origins,
    path,
    expected,
    timeoutMs: exchangeTimeoutMs,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: Math.round(stageMs),
  };
}

async function play(k6: RunningK6, plan: K6StagePlan, stage: EngineStage): Promise<StageOutcome> {
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
  const lines = k6.lines().filter((line): line is K6RequestLine => line.evenbench === "request");
  return { ...counted(lines, plan, stage, origin), ...readings(lines, origin, stage, before, after) };
}

/** @param at of `performance.now()`. A timer that went on after k6's end would hold the process up. */
async function untilOrEnd(at: number, { ended }: RunningK6): Promise<void> {
  const over = new AbortController();
  const reached = delay(Math.max(0, at - performance.now()), undefined, { signal: over.signal });
  await Promise.race([reached.catch(() => {}), ended]);
  over.abort();
}

function counted(lines: readonly K6RequestLine[], plan: K6StagePlan, stage: EngineStage, origin: number) {
  const requests = dueRequests(lines, plan);
  for (const one of requests) {
    stage.sample(sampleOf(one, origin - stage.runStartedAt, plan.stageMs * UNMEASURED_SHARE));
  }
  return {
    sent: requests.length,
    queued: 0,
    late: requests.filter(({ dueAtMs, sentAtMs }) => sentAtMs - dueAtMs > LATE_MS).length,
    // Whether no connection was free, or k6 itself was too late for it.
    dropped: stage.signal.aborted ? 0 : Math.max(0, dueCount(plan) - requests.length),
    ended: failureIn(lines, stage.signal) ?? (stage.signal.aborted ? "the run was interrupted" : null),
  };
}

function failureIn(lines: readonly K6RequestLine[], signal: AbortSignal): string | null {
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
  readonly subject: ProcessAccount | null;
  readonly k6: ProcessAccount | null;
}

async function readAll({ pid }: RunningK6, { account }: EngineStage): Promise<Reading> {
  const at = performance.now();
  const [subject, k6] = await Promise.all([account(), accountant.read([pid])]);
  return { at, subject, k6 };
}

function readings(
  lines: readonly K6RequestLine[],
  origin: number,
  { runStartedAt }: EngineStage,
  before: Reading,
  after: Reading,
) {
  const [fromMs, toMs] = [before.at - origin, after.at - origin];
  const isIn = ({ error, overAtMs }: K6RequestLine) =>
    error === null && overAtMs >= fromMs && overAtMs < toMs;
  return {
    startedAtMs: before.at - runStartedAt,
    windowMs: after.at - before.at,
    completed: lines.filter(isIn).length,
    meanInFlight: meanUnderWay(lines, fromMs, toMs),
    usage: usageBetween(before.subject, after.subject),
    client: {
      wallMs: after.at - before.at,
      cpuMs: usageBetween(before.k6, after.k6)?.cpuMs ?? null,
      eventLoopDelayP99Ms: null,
    },
  };
}

const KEPT_WORDS = 500;

export interface RunningK6 {
  readonly pid: number;
  readonly begun: Promise<number | null>;
  readonly ended: Promise<void>;
  lines(): readonly K6Line[];
  said(): string;
}

export async function startK6(file: string, script: string, signal: AbortSignal): Promise<RunningK6> {
  const child = spawn(file, [...K6_ARGUMENTS, script], {
    env: { ...ownEnvironment(), K6_NO_USAGE_REPORT: "true" },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
    killSignal: "SIGTERM",
  });
  // Kept as they come: taking lines apart would take time from what is measured.
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString();
  const begun = Promise.withResolvers<number | null>();
  let isBegun = false;
  child.stderr.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    if (isBegun) return;
    const line = linesOf(text()).find((one): one is K6BeginLine => one.evenbench === "begin");
    if (line === undefined) return;
    isBegun = true;
    begun.resolve(performance.now() - (Date.now() - line.startedAt));
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const failed = new Promise<never>((_, reject) => {
    child.once("error", (error) => {
      if (!signal.aborted) reject(new UserError(`${file} could not be started: ${error.message}`));
    });
  });
  failed.catch(() => {});
  void ended.then(() => begun.resolve(null));
  await Promise.race([new Promise<void>((resolve) => child.once("spawn", resolve)), failed, ended]);
  return {
    pid: child.pid ?? 0,
    begun: begun.promise,
    ended,
    lines: () => linesOf(text()),
    said: () => wordsOf(text()).slice(-KEPT_WORDS),
  };
}

/** Variables such as K6_DURATION would take the place of what the script says. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("K6_")));
}

function linesOf(text: string): readonly K6Line[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return whole.filter((line) => line.startsWith(LINE_START)).map((line) => JSON.parse(line) as K6Line);
}

function wordsOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(LINE_START))
    .join(" ");
}
