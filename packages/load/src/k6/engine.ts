import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "@evenbench/core";
import { accountant, runProgram, scratchFolder, usedBetween } from "@evenbench/host";
import { waitUntil } from "../engine/loops.ts";
import { type PlayedStage, type StageTerms, watchWindow } from "../engine/stage.ts";
import type { LoadEngine } from "../options.ts";
import { bundleRateScript } from "./bundle-script.ts";
import { readLogs } from "./logs.ts";
import { clientEnvironment, findK6, HOW_TO_GET_K6, runK6 } from "./program.ts";
import { OPEN_MS, playedStage, rateOf, type StagePlan } from "./rate.ts";

const VERSION_WITHIN_MS = 30_000;
/** What k6 may take beside its stage and its last answer: to read its script, to begin and to end. */
const AROUND_STAGE_MS = 30_000;

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

export interface K6Stage extends StageTerms {
  readonly origins: readonly string[];
  readonly exchangeTimeoutMs: number;
}

/** A plan of one stage, which k6 plays here while both its and the target's CPU time are read. */
export async function runK6Stage(k6: string, stage: K6Stage): Promise<PlayedStage> {
  const { load, origins, path, expected, exchangeTimeoutMs: timeoutMs, signal } = stage;
  if (load.kind === "closed") {
    throw new Error("k6 takes rates only.");
  }
  const plan: StagePlan = {
    origins,
    path,
    expected,
    timeoutMs,
    isClosed: false,
    connections: load.connections,
    rate: rateOf(load),
    stageMs: Math.round(stage.stageMs),
  };
  const folder = await scratchFolder("k6");
  const script = join(folder, "load.js");
  const log = join(folder, "load.log");
  try {
    const embedded = { edges: [], hash: "0".repeat(64), slotMs: 0, stages: [plan] };
    await writeFile(script, await bundleRateScript(embedded));
    // A timer that went on after k6's end would hold the process up.
    const over = new AbortController();
    let pid = 0;
    const terms = { k6, script, log, args: [], env: clientEnvironment("here"), signal };
    const started = (childPid: number) => {
      pid = childPid;
    };
    const withinMs = OPEN_MS + plan.stageMs + timeoutMs + AROUND_STAGE_MS;
    const playing = runK6(terms, started, withinMs).finally(() => over.abort());
    const origin = (await begunAt(log, over.signal)) + OPEN_MS;
    const { fromAt, toAt, used } = await watchWindow(stage, origin, over.signal, () => {
      const at = performance.now();
      const before = accountant.read([pid]);
      return async () => {
        const cpuMs = usedBetween(await before, await accountant.read([pid]))?.cpuMs ?? null;
        return { wallMs: performance.now() - at, cpuMs, eventLoopDelayP99Ms: null };
      };
    });
    const { failure, code } = await playing;
    const { clients, lastWords } = await readLogs([log]);
    const { lines = [], lacks = null } = clients[0] ?? {};
    if (clients.length === 0 && !signal.aborted) {
      throw new UserError(
        `k6 sent nothing: it ${lastWords ? `said ${lastWords}` : (failure ?? "said nothing")}`,
      );
    }
    const requests = lines.filter((line) => line.evenbench === "request");
    const times = { startMs: origin - stage.runStartedAt, fromMs: fromAt - origin, toMs: toAt - origin };
    const wrong = signal.aborted ? null : await stage.prove();
    const { samples, counts } = playedStage(requests, plan, times, wrong);
    const incomplete = lacks === null ? null : `k6's log ${lacks}`;
    const ended = code === null && !signal.aborted ? `k6 ${failure}` : incomplete;
    const cut = signal.aborted ? { dropped: 0, ended: "the run was interrupted" } : {};
    return { wrong, samples, outcome: { ...counts, ...used, queued: 0, ended, ...cut } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const LOOK_EVERY_MS = 50;

/** When its script began, by `performance.now()`; or now, where k6 ended before. */
async function begunAt(log: string, over: AbortSignal): Promise<number> {
  while (!over.aborted) {
    const logs = await readLogs([log]).catch(() => null);
    const begin = logs?.clients[0]?.begin;
    if (begin !== undefined) {
      return performance.now() - (Date.now() - Date.parse(begin.startedAt));
    }
    await waitUntil(performance.now() + LOOK_EVERY_MS, over);
  }
  return performance.now();
}
