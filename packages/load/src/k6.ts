import { execFile } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf, UserError } from "@evenbench/core";
import { accountant, scratchFolder, usedBetween } from "@evenbench/host";
import { waitUntil } from "./engine/loops.ts";
import { HealthWatch, type StageOutcome } from "./engine/stage.ts";
import type { EngineStage, LoadEngine } from "./options.ts";
import {
  bundleScript,
  clientEnvironment,
  findK6,
  HOW_TO_GET_K6,
  K6_ARGUMENTS,
  linesIn,
  playedStage,
  type RequestLine,
  rateOf,
  type StagePlan,
  startProgram,
  UNMEASURED_SHARE,
} from "./remote/index.ts";

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
    runStage: (stage) => runK6Stage(file, stage),
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

export async function runK6Stage(file: string, stage: EngineStage): Promise<StageOutcome> {
  const { load, origins, path, expected, exchangeTimeoutMs, signal } = stage;
  if (load.kind === "closed") throw new Error("k6 takes rates only.");
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
      await bundleScript("rate", { hash: "0".repeat(64), slotMs: 0, stages: [plan], isWatched: true }),
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
  await waitUntil(origin + stageMs * UNMEASURED_SHARE, k6.over);
  stage.onWindow?.();
  const before = await readAll(k6, stage);
  await waitUntil(origin + stageMs, k6.over);
  const after = await readAll(k6, stage);
  await k6.ended;
  const lines = k6.requests();
  const { samples, counts } = playedStage(lines, plan, {
    startMs: origin - stage.runStartedAt,
    fromMs: before.at - origin,
    toMs: after.at - origin,
  });
  for (const sample of samples) stage.sample(sample);
  return {
    ...counts,
    queued: 0,
    dropped: stage.signal.aborted ? 0 : counts.dropped,
    ended: failureIn(lines, stage.signal) ?? (stage.signal.aborted ? "the run was interrupted" : null),
    startedAtMs: before.at - stage.runStartedAt,
    windowMs: after.at - before.at,
    usage: usedBetween(before.served, after.served),
    client: {
      wallMs: after.at - before.at,
      cpuMs: usedBetween(before.k6, after.k6)?.cpuMs ?? null,
      eventLoopDelayP99Ms: null,
    },
  };
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

async function readAll({ pid }: RunningK6, { account }: EngineStage) {
  const at = performance.now();
  const [served, k6] = await Promise.all([account(), accountant.read([pid])]);
  return { at, served, k6 };
}

type RunningK6 = Awaited<ReturnType<typeof startK6>>;

const KEPT_WORDS = 500;

async function startK6(file: string, script: string, signal: AbortSignal) {
  const args = [...K6_ARGUMENTS, script];
  const { child, ended } = startProgram({ file, args, env: environment(), signal }, "pipe");
  /** When its first request was about to be sent, by `performance.now()`; null where it ended before. */
  const begun = Promise.withResolvers<number | null>();
  let [log, isBegun] = ["", false];
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk;
    // Taking lines apart would take time from what is measured.
    const stage = isBegun ? undefined : linesIn(log).ours.find(({ evenbench }) => evenbench === "stage");
    if (stage?.evenbench !== "stage") return;
    isBegun = true;
    begun.resolve(performance.now() - (Date.now() - stage.startedAt));
  });
  // A timer that went on after k6's end would hold the process up.
  const over = new AbortController();
  const failed = ended.then(() => {
    begun.resolve(null);
    over.abort();
  });
  await Promise.race([once(child, "spawn"), failed]);
  return {
    pid: child.pid ?? 0,
    begun: begun.promise,
    ended,
    over: over.signal,
    requests: () => linesIn(log).ours.filter((line) => line.evenbench === "request"),
    said: () => linesIn(log).others.join(" ").slice(-KEPT_WORDS),
  };
}

/** Variables such as K6_DURATION would take the place of what the script says. */
function environment() {
  const unset = Object.keys(process.env).filter((name) => name.startsWith("K6_"));
  return { ...Object.fromEntries(unset.map((name) => [name, undefined])), ...clientEnvironment("here") };
}
