import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { CpuAccount, ExchangeCost } from "@evenbench/results";
import pidusage from "pidusage";
import { statFields } from "./process-tree.ts";
import { readSystemFile } from "./system-file.ts";

/**
 * Milliseconds of a clock tick of /proc: USER_HZ is 100 on every architecture that the runtimes here run on
 * (time(7)).
 */
const STAT_TICK_MS = 10;

/**
 * Places of fields in `statFields` (proc_pid_stat(5)): "minflt" is the 10th field, "utime" the 14th.
 */
const MINOR_FAULTS = 10 - 3;
const USER_TIME = 14 - 3;
const SYSTEM_TIME = 15 - 3;
const CHILDREN_USER_TIME = 16 - 3;
const CHILDREN_SYSTEM_TIME = 17 - 3;

/** The kernel's account of a thread, in nanoseconds (Linux's Documentation/scheduler/sched-stats.rst). */
interface ThreadTime {
  /** Its CPU time. */
  readonly ranNs: number;
  /** The time for which it wanted a core and had none. */
  readonly waitedNs: number;
}

/** Reads the account of each thread; none where the kernel keeps no schedstat. */
function threadsOf(pid: number): (readonly [thread: string, time: ThreadTime])[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const schedstat = readSystemFile(`/proc/${pid}/task/${thread}/schedstat`);
    if (schedstat === "") {
      return [];
    }
    const [ranNs = 0, waitedNs = 0] = schedstat.split(" ").map(Number);
    return [[`${pid}/task/${thread}`, { ranNs, waitedNs }] as const];
  });
}

/** Gives the CPU time of a process's children that ended and were waited for, with theirs, in milliseconds. */
function endedChildrenMs(fields: readonly string[]): { readonly userMs: number; readonly systemMs: number } {
  return {
    userMs: Number(fields[CHILDREN_USER_TIME]) * STAT_TICK_MS,
    systemMs: Number(fields[CHILDREN_SYSTEM_TIME]) * STAT_TICK_MS,
  };
}

/** The states of threads that want a core or a disk, as `statFields` begin with them. */
const AT_WORK: readonly (string | undefined)[] = ["R", "D"];

/**
 * Tells whether no thread of some processes runs, or waits for a core or a disk. One that waits uses no CPU time for as
 * long as others take it. Always true where there is no /proc.
 */
export function areAtRest(pids: readonly number[]): boolean {
  return pids.every((pid) => threadsIn(pid).every((thread) => !AT_WORK.includes(stateOf(thread))));
}

/** Lists the threads of a process by their places in /proc; none where it has ended. */
function threadsIn(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => `${pid}/task/${thread}`);
  } catch {
    return [];
  }
}

/** Gives the state of a thread; undefined where it has ended. */
function stateOf(thread: string): string | undefined {
  try {
    return statFields(thread)[0];
  } catch {
    return undefined;
  }
}

/** Adds values; 0 for none. */
function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** What processes used between two readings. */
export interface MeterReading extends ExchangeCost {
  /** The time for which threads that still run wanted a core and had none. */
  readonly waitedMs: number | null;
}

/** The reading of a meter where there is none before it, or processes have changed. */
export const NO_READING: MeterReading = { cpuMs: null, minorFaults: null, waitedMs: null };

/**
 * Returns a function that reads what processes used since its previous call. Linux updates thread times only
 * at scheduler ticks; reading from one exchange's end to the next loses nothing in total.
 *
 * A process that ended meanwhile is in the account of the one that waited for it. Where none of these did, there is no
 * reading.
 *
 * @param pids gives the ids of the processes; the first one has to be the same each time.
 */
export function exchangeMeter(pids: () => readonly number[]): () => MeterReading {
  let last: ThreadTimes | null = null;
  return () => {
    const before = last;
    const now = readThreadTimes(pids());
    last = now;
    if (before === null || now === null || before.first !== now.first) {
      return NO_READING;
    }
    let usedNanoseconds = now.childrenNs - before.childrenNs;
    let waitedNanoseconds = 0;
    let endedNanoseconds = 0;
    for (const [pid, threads] of now.threads) {
      const known = before.threads.get(pid);
      for (const [thread, { ranNs, waitedNs }] of threads) {
        usedNanoseconds += ranNs - (known?.get(thread)?.ranNs ?? 0);
        waitedNanoseconds += waitedNs - (known?.get(thread)?.waitedNs ?? 0);
      }
    }
    for (const [pid, threads] of before.threads) {
      endedNanoseconds += now.threads.has(pid) ? 0 : sum([...threads.values()].map(({ ranNs }) => ranNs));
    }
    const isWaitedFor = now.childrenNs - before.childrenNs + TICK_NS >= endedNanoseconds;
    if (!isWaitedFor) {
      return NO_READING;
    }
    return {
      cpuMs: Math.max(0, usedNanoseconds - endedNanoseconds) / 1e6,
      minorFaults: Math.max(0, now.minorFaults - before.minorFaults),
      waitedMs: waitedNanoseconds / 1e6,
    };
  };
}

/** Nanoseconds of a clock tick of /proc, by which the account of children may be behind. */
const TICK_NS = STAT_TICK_MS * 1e6;

/** The kernel's account of processes at one moment. */
interface ThreadTimes {
  /** Id of the first process. */
  readonly first: number;
  /** The account of each thread, by process. */
  readonly threads: ReadonlyMap<number, ReadonlyMap<string, ThreadTime>>;
  /** Nanoseconds of CPU time of children that ended and were waited for. */
  readonly childrenNs: number;
  /** Page faults without a disk, of all processes. */
  readonly minorFaults: number;
}

/** Reads the account of those processes that run; null where the first is gone, or the kernel keeps none that fine. */
function readThreadTimes(pids: readonly number[]): ThreadTimes | null {
  const [first] = pids;
  const threads = new Map<number, ReadonlyMap<string, ThreadTime>>();
  let childrenMs = 0;
  let minorFaults = 0;
  for (const pid of pids) {
    try {
      const fields = statFields(pid);
      threads.set(pid, new Map(threadsOf(pid)));
      const { userMs, systemMs } = endedChildrenMs(fields);
      childrenMs += userMs + systemMs;
      minorFaults += Number(fields[MINOR_FAULTS]);
    } catch {
      // It ended since the listing.
    }
  }
  if (first === undefined || (threads.get(first)?.size ?? 0) === 0) {
    return null;
  }
  return { first, threads, childrenNs: childrenMs * 1e6, minorFaults };
}

/**
 * The account of processes since they began, all together. Times are CPU time in milliseconds; null: the
 * system does not say it.
 */
export interface ProcessAccount {
  /** Ids of the processes. */
  readonly pids: readonly number[];
  /** CPU time of all threads, also of those that have ended, and of children that ended. */
  readonly cpuMs: number;
  /** CPU time of the threads that run, without the rounding of ticks, and of children that ended. */
  readonly liveThreadsMs: number | null;
  /** CPU time of their own code. */
  readonly userMs: number | null;
  /** CPU time of the kernel for them. */
  readonly systemMs: number | null;
  /** Page faults that needed no disk. */
  readonly minorFaults: number | null;
  /** Memory that they hold now, in bytes. */
  readonly residentBytes: number;
  /** The largest `residentBytes` so far, added up over the processes. */
  readonly peakResidentBytes: number | null;
}

/** A way to read what processes used, with its source and its resolution. */
export interface Accountant extends CpuAccount {
  /** Reads the account of those processes that run, all together. It resolves to null where the first is gone. */
  read(pids: readonly number[]): Promise<ProcessAccount | null>;
}

/**
 * Reads the account of a process; null where it is gone. Of its CPU time the larger value counts: schedstat is exact
 * but forgets ended threads, and stat rounds to 10 ms.
 */
function readProcUse(pid: number): ProcUse | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const resident = /^VmRSS:\s*(\d+) kB/m.exec(status)?.[1];
    const peak = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
    // A process that has ended but was not waited for has no such lines.
    if (resident === undefined || peak === undefined) {
      return null;
    }
    const fields = statFields(pid);
    const children = endedChildrenMs(fields);
    const userMs = Number(fields[USER_TIME]) * STAT_TICK_MS + children.userMs;
    const systemMs = Number(fields[SYSTEM_TIME]) * STAT_TICK_MS + children.systemMs;
    const threadsMs = sum(threadsOf(pid).map(([, { ranNs }]) => ranNs)) / 1e6;
    const liveThreadsMs = threadsMs + children.userMs + children.systemMs;
    return {
      cpuMs: Math.max(liveThreadsMs, userMs + systemMs),
      liveThreadsMs,
      userMs,
      systemMs,
      minorFaults: Number(fields[MINOR_FAULTS]),
      residentBytes: Number(resident) * 1024,
      peakResidentBytes: Number(peak) * 1024,
    };
  } catch {
    return null;
  }
}

/** The account of one process, as /proc has it. */
type ProcUse = { readonly [Part in Exclude<keyof ProcessAccount, "pids">]: number };

/** The accountant of systems with /proc. */
export const PROC: Accountant = {
  source: "/proc",
  resolutionMs: 20,
  async read(pids) {
    const read = pids.map((pid) => [pid, readProcUse(pid)] as const);
    const living = read.flatMap(([, used]) => used ?? []);
    if (pids.length === 0 || read[0]?.[1] === null) {
      return null;
    }
    const total = (part: keyof ProcUse) => sum(living.map((used) => used[part]));
    return {
      pids: read.filter(([, used]) => used !== null).map(([pid]) => pid),
      cpuMs: total("cpuMs"),
      liveThreadsMs: total("liveThreadsMs"),
      userMs: total("userMs"),
      systemMs: total("systemMs"),
      minorFaults: total("minorFaults"),
      residentBytes: total("residentBytes"),
      peakResidentBytes: total("peakResidentBytes"),
    };
  },
};

/**
 * Resolution of CPU time in milliseconds, by platform: Windows accounts at each clock interrupt; ps in
 * hundredths of a second on macOS, in whole seconds elsewhere.
 */
const CPU_RESOLUTION_MS: Readonly<Record<string, number>> = { win32: 16, darwin: 10 };

/** Parts of an account that systems without /proc do not give. */
const NOT_ACCOUNTED = { liveThreadsMs: null, userMs: null, systemMs: null, minorFaults: null };

/** Makes the accountant of systems without /proc, which asks a tool of the system. */
export function toolAccountant(platform: NodeJS.Platform): Accountant {
  return {
    source: platform === "win32" ? "WMI (pidusage)" : "ps (pidusage)",
    resolutionMs: CPU_RESOLUTION_MS[platform] ?? 1000,
    async read(pids) {
      if (pids.length === 0) {
        return null;
      }
      // It refuses when no process is left, and leaves out those that are gone.
      const statuses = await pidusage([...pids], { usePs: true }).catch(() => ({}));
      const found = pids.flatMap((pid) => (statuses as Record<number, pidusage.Status>)[pid] ?? []);
      if (found.length < pids.length) {
        return null;
      }
      const cpuMs = sum(found.map(({ ctime }) => ctime));
      const residentBytes = sum(found.map(({ memory }) => memory));
      return { pids, cpuMs, residentBytes, peakResidentBytes: null, ...NOT_ACCOUNTED };
    },
  };
}

/**
 * Subtracts two accounts of the same processes; memory is the later one's. null where they are not of the
 * same processes.
 */
export function usedBetween(
  before: ProcessAccount | null,
  after: ProcessAccount | null,
): Omit<ProcessAccount, "pids" | "liveThreadsMs"> | null {
  if (before === null || after === null || before.pids.join() !== after.pids.join()) {
    return null;
  }
  const { pids, liveThreadsMs, ...used } = after;
  return {
    ...used,
    cpuMs: Math.max(0, after.cpuMs - before.cpuMs, difference(liveThreadsMs, before.liveThreadsMs) ?? 0),
    userMs: difference(after.userMs, before.userMs),
    systemMs: difference(after.systemMs, before.systemMs),
    minorFaults: difference(after.minorFaults, before.minorFaults),
  };
}

function difference(after: number | null, before: number | null): number | null {
  return after === null || before === null ? null : after - before;
}

/** The accountant of this machine. */
export const accountant: Accountant = existsSync("/proc/self/stat") ? PROC : toolAccountant(process.platform);
