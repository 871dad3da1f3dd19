import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { accountant, runProgram, scratchFolder, usedBetween } from "@evenbench/host";
import { waitUntil } from "./engine/loops.ts";
import { type PlayedStage, type StageTerms, watchWindow } from "./engine/stage.ts";
import type { LoadEngine } from "./options.ts";
import { Logs, readLine } from "./remote/logs.ts";
import { clientEnvironment, findK6, HOW_TO_GET_K6, runK6 } from "./remote/play.ts";
import { OPEN_MS, playedStage, rateOf, type StagePlan } from "./remote/rate.ts";
import { bundleScript } from "./remote/write-plan.ts";

export async function k6Engine(): Promise<LoadEngine> {
  const file = await findK6();
  if (file === null) throw new UserError(HOW_TO_GET_K6);
  const { failure, stdout } = await runProgram({ command: [file, "version"] });
  if (failure !== null) throw new UserError(`${file} does not say its version: it ${failure}`);
  return {
    name: "k6",
    version: /\bv(\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1]?.replace(/,$/, "") ?? stdout.trim(),
    file,
  };
}

export interface K6Stage extends StageTerms {
  readonly origins: readonly string[];
  readonly exchangeTimeoutMs: number;
}

/** A plan of one stage, which k6 plays here while both its and the target's CPU time are read. */
export async function runK6Stage(k6: string, stage: K6Stage): Promise<PlayedStage> {
  const { load, origins, path, expected, exchangeTimeoutMs: timeoutMs, signal } = stage;
  if (load.kind === "closed") throw new Error("k6 takes rates only.");
  const { connections } = load;
  const stageMs = Math.round(stage.stageMs);
  const plan: StagePlan = {
    ...{ origins, path, expected, timeoutMs, connections, rate: rateOf(load), stageMs, isClosed: false },
  };
  const folder = await scratchFolder("k6");
  const [script, log] = [join(folder, "load.js"), join(folder, "load.log")];
  try {
    const hash = "0".repeat(64);
    await writeFile(script, await bundleScript("rate", { hash, slotMs: 0, stages: [plan] }));
    return await play({ k6, script, log, args: [], env: clientEnvironment("here"), signal }, plan, stage);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function play(
  terms: Parameters<typeof runK6>[0],
  plan: StagePlan,
  stage: StageTerms,
): Promise<PlayedStage> {
  // A timer that went on after k6's end would hold the process up.
  const over = new AbortController();
  let pid = 0;
  const started = (own: number) => {
    pid = own;
  };
  const playing = runK6({ ...terms, started }).finally(() => over.abort());
  const origin = (await begunAt(terms.log, over.signal)) + OPEN_MS;
  const { fromAt, toAt, used } = await watchWindow(stage, origin, over.signal, () => {
    const [at, before] = [performance.now(), accountant.read([pid])];
    return async () => {
      const after = await accountant.read([pid]);
      const cpuMs = usedBetween(await before, after)?.cpuMs ?? null;
      return { wallMs: performance.now() - at, cpuMs, eventLoopDelayP99Ms: null };
    };
  });
  const { failure } = await playing;
  const isCut = stage.signal.aborted;
  const { clients, said } = await Logs.read([terms.log]);
  const [client] = clients;
  if (client === undefined && !isCut)
    throw new UserError(`k6 sent nothing. It said: ${said || failure || "nothing"}`);
  const lines = client?.lines.filter((line) => line.evenbench === "request") ?? [];
  const { samples, counts } = playedStage(lines, plan, {
    startMs: origin - stage.runStartedAt,
    fromMs: fromAt - origin,
    toMs: toAt - origin,
  });
  const lacks = client?.lacks ?? null;
  const ended = isCut ? "the run was interrupted" : lacks === null ? null : `k6's log ${lacks}`;
  const dropped = isCut ? 0 : counts.dropped;
  return { samples, outcome: { ...counts, ...used, queued: 0, dropped, ended } };
}

const LOOK_EVERY_MS = 50;

/** When its script began, by `performance.now()`; or now, where k6 ended before. */
async function begunAt(log: string, over: AbortSignal): Promise<number> {
  while (!over.aborted) {
    const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").map(readLine);
    const begin = lines.find((line) => typeof line !== "string");
    if (begin?.evenbench === "begin") return performance.now() - (Date.now() - Date.parse(begin.startedAt));
    await waitUntil(performance.now() + LOOK_EVERY_MS, over);
  }
  return performance.now();
}
