// Whether the CPU time of a target's processes is that of its work.
import { readFileSync } from "node:fs";
import { countCores, exchangeMeter } from "@evenbench/host";
import { NO_COST } from "@evenbench/probe";
import type { ExchangeCost } from "@evenbench/results";

/** Sums over exchanges, in milliseconds. */
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
  /** The exchanges so far; null where the system does not say what the machine did. */
  readonly watched: WatchedTime | null;
  /** False where the processes' CPU time is no account of their work. */
  readonly isTrusted: boolean;
  /** From now on no cost is known. */
  distrust(): void;
}

/** Watches what exchanges cost. @param pids gives the ids of the target's processes. */
export function watchCpu(pids: () => readonly number[]): CpuWatch {
  const meter = exchangeMeter(pids);
  const sums = { wallMs: 0, cpuMs: 0, waitedMs: 0, othersMs: 0 };
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
        const wallMs = now.at - begun.at;
        const busyMs = wallMs * CORES - (now.idleMs - begun.idleMs);
        sums.wallMs += wallMs;
        sums.cpuMs += cpuMs;
        sums.waitedMs += waitedMs + now.clientWaitedMs - begun.clientWaitedMs;
        sums.othersMs += busyMs - cpuMs - (now.clientCpuMs - begun.clientCpuMs);
      }
      begun = null;
      return isTrusted ? { cpuMs, minorFaults } : NO_COST;
    },
    get watched() {
      return sums.wallMs === 0 ? null : sums;
    },
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

/** Share of the time without waiting for a core below which a target's CPU time does not explain it. */
const EXPLAINED_SHARE = 0.2;
/** Share of the unexplained time in which others have to be busy, to have done the work. */
const BUSY_SHARE = 0.3;
/** Milliseconds of unexplained time without which nothing is said: the system counts in ticks of 10. */
const MIN_UNEXPLAINED_MS = 200;

/**
 * Tells whether others did the work of a target: requests come one at a time, so CPU time, waiting for a core and other
 * waiting explain the time. Where the first two do not, and the machine's other processes are busy by as much, and not
 * while other targets are asked, they are what works.
 *
 * @param rest the same of the other targets in the same trial.
 */
export function worksElsewhere(own: WatchedTime, rest: readonly WatchedTime[]): boolean {
  const hadCoreMs = own.wallMs - own.waitedMs;
  const unexplainedMs = hadCoreMs - own.cpuMs;
  if (own.cpuMs > EXPLAINED_SHARE * hadCoreMs || unexplainedMs < MIN_UNEXPLAINED_MS) {
    return false;
  }
  const usual = Math.min(
    ...rest.map(({ othersMs, wallMs }) => Math.max(0, othersMs) / wallMs),
    Number.POSITIVE_INFINITY,
  );
  const background = Number.isFinite(usual) ? usual * own.wallMs : 0;
  return own.othersMs - background >= BUSY_SHARE * unexplainedMs;
}

/** Factor by which CPU time has to be more than time, to be that of work behind the answers. */
const BEHIND_FACTOR = 2;
/** Milliseconds of CPU time beyond its time that a request has to take for that. */
const MIN_BEHIND_MS = 1;

/** Tells whether a target works behind its answers, or beside them: its requests take more CPU time than time. */
export function worksBehind({ cpuMs, timeMs }: { readonly cpuMs: number; readonly timeMs: number }): boolean {
  return cpuMs >= BEHIND_FACTOR * timeMs && cpuMs - timeMs >= MIN_BEHIND_MS;
}
