import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { messageOf } from "@evenbench/core";
import {
  accountant,
  type CoreSplit,
  confineThisProcess,
  isAlive,
  ownFolder,
  splitCores,
} from "@evenbench/host";
import type { RunMachine, RunPlan } from "@evenbench/results";
import { RunError } from "./options.ts";

export function describeMachine(coresApart: CoreSplit | null): RunMachine {
  return {
    system: `${type()} ${release()} ${process.arch}`,
    cpuModel: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    clientNode: process.version,
    coresApart,
    cpuAccount: { source: accountant.source, resolutionMs: accountant.resolutionMs },
  };
}

function keepCoresApart(): CoreSplit | null {
  const split = splitCores();
  try {
    if (split !== null) confineThisProcess(split.client);
    return split;
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return null;
  }
}

export interface ClaimedMachine extends Disposable {
  readonly machine: RunMachine;
  readonly cores: CoreSplit | null;
  /** That measure here: each is told once, even if it is gone again. */
  newOthers(): readonly string[];
}

let ownRuns = 0;

/**
 * Each measuring process of this user writes its pid into one list, and at its end its pid with a minus; the last one
 * takes the list away. Nobody is kept out: two runs disturb one another, but lose nothing. @throws {RunError} when the list cannot be written.
 */
export function claimMachine(serverCores: RunPlan["serverCores"] = "all"): ClaimedMachine {
  const folder = ownFolder("measuring");
  const list = join(folder, "pids");
  let before: readonly number[];
  try {
    before = othersIn(list);
    if (ownRuns === 0) appendFileSync(list, `${process.pid}\n`);
  } catch (error) {
    const why = messageOf(error);
    throw new RunError(
      `${folder} cannot be written (${why}). Remove it, or set XDG_CACHE_HOME to another folder.`,
    );
  }
  ownRuns += 1;
  const leave = () => leaveList(list);
  // Whoever asks twice for the end gets it without a release.
  process.once("exit", leave);
  const there = runningOf(before);
  const given = new Set<number>();
  const cores = serverCores === "apart" ? keepCoresApart() : null;
  return {
    machine: describeMachine(cores),
    cores,
    newOthers() {
      const others = [...there, ...othersIn(list).slice(before.length)];
      return others.flatMap((pid) => {
        if (pid < 0 || given.has(pid)) return [];
        given.add(pid);
        return [`Another run (pid ${pid}) is measuring on this machine: expect more variation.`];
      });
    },
    [Symbol.dispose]() {
      process.off("exit", leave);
      ownRuns -= 1;
      if (ownRuns === 0) leave();
      if (cores !== null) confineThisProcess(`${cores.client},${cores.servers}`);
    },
  };
}

function leaveList(list: string): void {
  try {
    appendFileSync(list, `-${process.pid}\n`);
    if (runningOf(othersIn(list)).length === 0) rmSync(list, { force: true });
  } catch {
    // Its folder is gone.
  }
}

function othersIn(list: string): number[] {
  // Whoever tidies the folder for temporary files up takes it away.
  const lines = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
  return lines
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== 0 && Math.abs(pid) !== process.pid);
}

function runningOf(pids: readonly number[]): number[] {
  return pids.filter((pid, place) => pid > 0 && !pids.includes(-pid, place) && isAlive(pid));
}

/** The histogram's timer is late by this much when the loop is not late at all. */
const RESOLUTION_MS = 10;

export function watchClient() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  const [wallStart, cpuStart] = [performance.now(), process.cpuUsage()];
  return {
    read() {
      delay.disable();
      const { user, system } = process.cpuUsage(cpuStart);
      return { wallMs: performance.now() - wallStart, cpuMs: (user + system) / 1000 };
    },
    /** Milliseconds. @param percentile of the checks of its event loop. */
    late(percentile: number): number {
      return delay.count === 0 ? 0 : Math.max(0, delay.percentile(percentile) / 1e6 - RESOLUTION_MS);
    },
  };
}
