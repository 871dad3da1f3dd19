import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { messageOf } from "@evenbench/core";
import {
  accountant,
  confineThisProcess,
  countCores,
  isAlive,
  ownFolder,
  processLimits,
  splitCores,
  startMarkOf,
} from "@evenbench/host";
import type { RunMachine, RunPlan } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { RunError } from "./options.ts";

/** Makes the record of this machine. */
function describeMachine(
  coresApart: RunMachine["coresApart"],
  limits: NonNullable<RunMachine["limits"]>,
): RunMachine {
  return {
    system: `${type()} ${release()} ${process.arch}`,
    cpuModel: cpus()[0]?.model ?? "unknown",
    cores: countCores(),
    memoryBytes: totalmem(),
    clientNode: process.version,
    coresApart,
    limits,
    cpuAccount: { source: accountant.source, resolutionMs: accountant.resolutionMs },
  };
}

/** Keeps this process to cores of its own. @returns both sides' cores; null where they share all. */
function keepCoresApart(): RunMachine["coresApart"] {
  const split = splitCores();
  try {
    if (split !== null) {
      confineThisProcess(split.client);
    }
    return split;
  } catch {
    // A container may forbid it; run.json then says that the cores are shared.
    return null;
  }
}

/** Number of measurements of this process that are under way: they share one mark. */
let ownRuns = 0;

/** A measurement's mark on this machine, until it is disposed of. */
export interface RegisteredRun extends Disposable {
  readonly machine: RunMachine;
  /** The cores of client and servers; null where they share all. */
  readonly cores: RunMachine["coresApart"];
  /**
   * Tells of other processes that measure on this machine: one sentence, the first time that there are any; empty at
   * all later calls.
   */
  newOthers(): readonly string[];
}

/**
 * Marks this process as one that measures on this machine, and divides the cores where that is asked for.
 * Each measuring process of this user has a file in one folder: its name is the pid, its content the moment
 * at which the process began, since a system gives a pid again. Nobody is kept out: two runs disturb one
 * another, but lose nothing.
 *
 * @throws {RunError} if the mark cannot be written.
 */
export function registerRun(serverCores: RunPlan["serverCores"] = "all"): RegisteredRun {
  const folder = ownFolder("measuring");
  const mark = join(folder, String(process.pid));
  try {
    writeFileSync(mark, startMarkOf(process.pid) ?? "");
  } catch (error) {
    const why = messageOf(error);
    throw new RunError(
      `${folder} cannot be written (${why}). Remove it, or set XDG_CACHE_HOME to another folder.`,
    );
  }
  ownRuns += 1;
  const reported = new Set<string>();
  let hasSaid = false;
  // Once the client has its own core, it may use no other.
  const limits = processLimits();
  const cores = serverCores === "apart" ? keepCoresApart() : null;
  return {
    machine: describeMachine(cores, limits),
    cores,
    newOthers() {
      const pids = otherPids(folder).filter((pid) => !reported.has(pid));
      for (const pid of pids) {
        reported.add(pid);
      }
      if (pids.length === 0 || hasSaid) {
        return [];
      }
      hasSaid = true;
      const who = pids.length === 1 ? `Another run (pid ${pids[0]}) is` : `${pids.length} other runs are`;
      return [`${who} measuring on this machine: expect more variation.`];
    },
    [Symbol.dispose]() {
      ownRuns -= 1;
      if (ownRuns === 0) {
        rmSync(mark, { force: true });
      }
      if (cores !== null) {
        confineThisProcess(`${cores.client},${cores.servers}`);
      }
    },
  };
}

/**
 * Lists the pids of the other processes that have marks in a folder, and removes the marks of those that were
 * killed.
 */
function otherPids(folder: string): readonly string[] {
  // Whoever tidies the folder up may take it away.
  const pids = existsSync(folder) ? readdirSync(folder) : [];
  const others = pids.filter((pid) => pid !== String(process.pid));
  const living = others.filter((pid) => isMarkOfLiving(folder, pid));
  for (const pid of others) {
    if (!living.includes(pid)) {
      rmSync(join(folder, pid), { force: true });
    }
  }
  return living;
}

/**
 * Tells whether the process that made a mark still lives. Where nobody knows when a process began, its pid
 * decides.
 */
function isMarkOfLiving(folder: string, pid: string): boolean {
  if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) {
    return false;
  }
  const startNow = startMarkOf(Number(pid));
  let startThen = "";
  try {
    startThen = readFileSync(join(folder, pid), "utf8");
  } catch {
    // Its process ended just now, and took it away.
    return false;
  }
  return startNow === null || startThen === "" || startThen === startNow;
}

/** Time by which the histogram's timer is late when the event loop is not late at all, in milliseconds. */
const TIMER_RESOLUTION_MS = 10;

/** Watches how busy the client is, from its beginning until `read`. */
export interface ClientWatch {
  /** Ends the watch. @returns what the client used, in milliseconds. */
  read(): ClientUse;
  /** How late the client's event loop was at this percentile (0 to 100) of its checks, in milliseconds. */
  lateMs(percentile: number): number;
}

/** Time that the client used, in milliseconds. */
interface ClientUse {
  readonly wallMs: number;
  /** CPU time of all its threads. */
  readonly cpuMs: number;
}

/** Gives the CPU time that all programs of this machine used since it started, in milliseconds; null where nobody knows it. */
export function machineCpuMs(): number | null {
  const cores = cpus();
  return cores.length === 0
    ? null
    : sum(cores.map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq));
}

/** Begins to watch how busy the client is. */
export function watchClient(): ClientWatch {
  const delay = monitorEventLoopDelay({ resolution: TIMER_RESOLUTION_MS });
  delay.enable();
  const wallStart = performance.now();
  const cpuStart = process.cpuUsage();
  return {
    read() {
      delay.disable();
      const { user, system } = process.cpuUsage(cpuStart);
      return { wallMs: performance.now() - wallStart, cpuMs: (user + system) / 1000 };
    },
    lateMs(percentile) {
      return delay.count === 0 ? 0 : Math.max(0, delay.percentile(percentile) / 1e6 - TIMER_RESOLUTION_MS);
    },
  };
}
