// Whether the CPU time of a target's processes is that of its work.
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "@evenbench/core";
import { countCores, exchangeMeter } from "@evenbench/host";
import { NO_COST } from "@evenbench/probe";
import type { ExchangeCost } from "@evenbench/results";
import { sum } from "@evenbench/stats";

/** Sums over some exchanges in a row, in milliseconds. */
export interface WatchedTime {
  /** The time that they took. */
  readonly wallMs: number;
  /** The CPU time of the target's processes in it, and since the exchange before. */
  readonly cpuMs: number;
  /** The time for which their threads, or this process, wanted a core and had none. */
  readonly waitedMs: number;
  /** The CPU time of all other processes in it, but this one. */
  readonly othersMs: number;
}

/** What exchanges cost a target's processes, and the rest of the machine meanwhile. */
export interface CpuWatch {
  /** Is called right before an exchange. */
  beginCost(): void;
  /** Gives what the target's processes used since the last call. */
  readCost(): ExchangeCost;
  /** The exchanges so far, in slices; none where the system does not say what the machine did. */
  readonly watched: readonly WatchedTime[];
  /** False where the processes' CPU time is no account of their work. */
  readonly isTrusted: boolean;
  /** From now on no cost is known. */
  distrust(): void;
}

const NO_TIME: WatchedTime = { wallMs: 0, cpuMs: 0, waitedMs: 0, othersMs: 0 };
/** Milliseconds of a slice in which nobody waited for a core, at least: the system counts in ticks of 10. */
const SLICE_MS = 100;

/** Watches what exchanges cost. @param pids gives the ids of the target's processes. */
export function watchCpu(pids: () => readonly number[]): CpuWatch {
  const meter = exchangeMeter(pids);
  const watched: WatchedTime[] = [];
  let sums = NO_TIME;
  let begun: MachineReading | null = null;
  let isTrusted = true;
  return {
    beginCost() {
      begun = readMachine();
    },
    readCost() {
      const { cpuMs, minorFaults, waitedMs } = meter();
      const now = readMachine();
      if (begun !== null && now !== null && cpuMs !== null && waitedMs !== null) {
        sums = {
          wallMs: sums.wallMs + now.at - begun.at,
          cpuMs: sums.cpuMs + cpuMs,
          waitedMs: sums.waitedMs + waitedMs + now.clientWaitedMs - begun.clientWaitedMs,
          othersMs: sums.othersMs + busyBetween(begun, now) - cpuMs,
        };
        if (sums.wallMs - sums.waitedMs >= SLICE_MS) {
          watched.push(sums);
          sums = NO_TIME;
        }
      }
      begun = null;
      return isTrusted ? { cpuMs, minorFaults } : NO_COST;
    },
    watched,
    get isTrusted() {
      return isTrusted;
    },
    distrust() {
      isTrusted = false;
    },
  };
}

/** Number of the machine's cores whose idle time the system adds up. */
const CORES = countCores();

/** What the machine, and this process, did until a moment, in milliseconds. */
interface MachineReading {
  readonly at: number;
  /** The idle time of all cores since the machine started. */
  readonly idleMs: number;
  /** The CPU time of this process, and the time for which its main thread wanted a core and had none. */
  readonly clientCpuMs: number;
  readonly clientWaitedMs: number;
}

/** Reads what the machine did until now; null on other systems than Linux. */
function readMachine(): MachineReading | null {
  try {
    const { user, system } = process.cpuUsage();
    return {
      at: performance.now(),
      idleMs: Number(readFileSync("/proc/uptime", "latin1").split(" ")[1]) * 1000,
      clientCpuMs: (user + system) / 1000,
      clientWaitedMs: Number(readFileSync("/proc/self/schedstat", "latin1").split(" ")[1]) / 1e6,
    };
  } catch {
    return null;
  }
}

/** Gives the CPU time of all processes but this one between two readings, in milliseconds. */
function busyBetween(begun: MachineReading, now: MachineReading): number {
  const busyMs = (now.at - begun.at) * CORES - (now.idleMs - begun.idleMs);
  return busyMs - (now.clientCpuMs - begun.clientCpuMs);
}

/** Milliseconds for which the machine is watched while no target is asked. */
const UNASKED_MS = 500;

/** Resolves to the number of cores that others keep busy while no target is asked; 0 where the system does not say. */
async function busyUnasked(): Promise<number> {
  const begun = readMachine();
  await delay(UNASKED_MS);
  const now = readMachine();
  return begun === null || now === null ? 0 : busyBetween(begun, now) / (now.at - begun.at);
}

/** Share of the time without waiting for a core below which a target's CPU time does not explain it. */
const EXPLAINED_SHARE = 0.2;
/** Share of the unexplained time in which others have to be busy, to have done the work. */
const BUSY_SHARE = 0.3;
/** Number of slices without which nothing is said. */
const MIN_SLICES = 3;

/**
 * Tells whether others did the work of a target: requests come one at a time, so CPU time, waiting for a core and other
 * waiting explain the time. Where the first two do not in most of its slices, and the machine's other processes are busy
 * by as much, and not while no target is asked, they are what works. One request that hung, and neighbours that are busy
 * at times, make few slices.
 *
 * @param background number of cores that others keep busy while no target is asked.
 */
export function worksElsewhere(own: readonly WatchedTime[], background: number): boolean {
  const elsewhere = own.filter(({ wallMs, cpuMs, waitedMs, othersMs }) => {
    const hadCoreMs = wallMs - waitedMs;
    const isUnexplained = cpuMs <= EXPLAINED_SHARE * hadCoreMs;
    return isUnexplained && othersMs - background * wallMs >= BUSY_SHARE * (hadCoreMs - cpuMs);
  });
  return own.length >= MIN_SLICES && elsewhere.length > own.length / 2;
}

/**
 * Takes the CPU time away from targets whose work others do: what their processes use is no account of it.
 *
 * @param targets with their names, behind a warm-up in which they were asked one at a time.
 * @returns those whose work others do, and what was seen, as the end of a sentence.
 */
export async function distrustAccounts(
  targets: readonly (readonly [name: string, cpu: CpuWatch])[],
): Promise<readonly (readonly [name: string, seen: string])[]> {
  const suspected = targets.filter(([, { watched }]) => worksElsewhere(watched, 0));
  const background = suspected.length === 0 ? 0 : await busyUnasked();
  const found = suspected.filter(([, { watched }]) => worksElsewhere(watched, background));
  return found.map(([name, cpu]) => {
    cpu.distrust();
    const all = (of: keyof WatchedTime) => formatDuration(sum(cpu.watched.map((slice) => slice[of])));
    const used = `its processes used ${all("cpuMs")} in ${all("wallMs")} of requests`;
    return [name, `${used}, and others of this machine ${all("othersMs")}.`];
  });
}

/** Factor by which CPU time has to be more than time, to be that of work behind the answers. */
const BEHIND_FACTOR = 2;
/** Milliseconds of CPU time beyond its time that a request has to take for that. */
const MIN_BEHIND_MS = 1;

/** Tells whether a target works behind its answers, or beside them: its requests take more CPU time than time. */
export function worksBehind({ cpuMs, timeMs }: { readonly cpuMs: number; readonly timeMs: number }): boolean {
  return cpuMs >= BEHIND_FACTOR * timeMs && cpuMs - timeMs >= MIN_BEHIND_MS;
}
