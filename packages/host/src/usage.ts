import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { CpuAccount, Sample } from "@evenbench/results";
import pidusage from "pidusage";

/** USER_HZ: the unit of /proc/<pid>/stat is 1/100 s on every architecture that Node.js and workerd run on (time(7)). */
const STAT_TICK_MS = 10;

export interface MemoryUse {
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export function readCpuTimeMs(pid: number): number | null {
  return readCpuTime(pid)?.totalMs ?? null;
}

/** All threads, without children. schedstat is exact but forgets ended threads; stat rounds to 10 ms: the larger counts. */
function readCpuTime(
  pid: number,
): { totalMs: number; liveThreadsMs: number; userMs: number; systemMs: number; minorFaults: number } | null {
  try {
    let liveThreadsMs = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) liveThreadsMs += threadCpuTimeMs(pid, thread);
    const fields = statFields(pid);
    const [userMs, systemMs] = [Number(fields[11]) * STAT_TICK_MS, Number(fields[12]) * STAT_TICK_MS];
    const totalMs = Math.max(liveThreadsMs, userMs + systemMs);
    return { totalMs, liveThreadsMs, userMs, systemMs, minorFaults: Number(fields[7]) };
  } catch {
    return null;
  }
}

/**
 * The fields of /proc/<pid>/stat from the third on. The second, the command's name, may contain blanks and
 * parentheses.
 */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readMinorFaults(pid: number): number {
  return Number(statFields(pid)[7]);
}

function threadCpuTimeMs(pid: number, thread: string): number {
  try {
    const nanoseconds = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ", 1)[0];
    return Number(nanoseconds) / 1e6;
  } catch {
    // The thread ended since the listing, or the kernel keeps no schedstat: /proc/<pid>/stat still counts it.
    return 0;
  }
}

export function readMemory(pid: number): MemoryUse | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const resident = /^VmRSS:\s*(\d+) kB/m.exec(status)?.[1];
    const peak = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
    // A process that has ended but was not waited for has no such lines.
    if (resident === undefined || peak === undefined) return null;
    return { residentBytes: Number(resident) * 1024, peakBytes: Number(peak) * 1024 };
  } catch {
    return null;
  }
}

export function readGroupMemory(group: number): number | null {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const members = pids.map(Number).filter((pid) => groupOf(pid) === group);
    const sizes = members.flatMap((pid) => readMemory(pid)?.residentBytes ?? []);
    return sizes.length === 0 ? null : sizes.reduce((sum, bytes) => sum + bytes, 0);
  } catch {
    return null;
  }
}

function groupOf(pid: number): number | null {
  try {
    return Number(statFields(pid)[2]);
  } catch {
    return null;
  }
}

export type ExchangeCost = Pick<Sample, "cpuMs" | "minorFaults">;

export const NO_COST: ExchangeCost = { cpuMs: null, minorFaults: null };

interface Reading {
  readonly pids: readonly number[];
  readonly nanoseconds: ReadonlyMap<string, number>;
  readonly minorFaults: number;
}

/** The kernel accounts at its clock ticks alone: read from end to end of exchanges, all readings add up. */
export function exchangeMeter(pids: () => readonly number[]): () => ExchangeCost {
  let last: Reading | null = null;
  return () => {
    const [before, now] = [last, read(pids())];
    last = now;
    if (before === null || now === null || before.pids.join() !== now.pids.join()) return NO_COST;
    let nanoseconds = 0;
    for (const [thread, used] of now.nanoseconds) nanoseconds += used - (before.nanoseconds.get(thread) ?? 0);
    return { cpuMs: nanoseconds / 1e6, minorFaults: now.minorFaults - before.minorFaults };
  };
}

function read(pids: readonly number[]): Reading | null {
  if (pids.length === 0) return null;
  try {
    const nanoseconds = new Map<string, number>();
    let minorFaults = 0;
    for (const pid of pids) {
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const used = threadNanoseconds(`/proc/${pid}/task/${thread}/schedstat`);
        if (used !== null) nanoseconds.set(`${pid}/${thread}`, used);
      }
      minorFaults += readMinorFaults(pid);
    }
    return nanoseconds.size === 0 ? null : { pids: [...pids], nanoseconds, minorFaults };
  } catch {
    return null;
  }
}

function threadNanoseconds(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, "latin1"), 10);
  } catch {
    // It ended since the listing.
    return null;
  }
}

export interface ProcessAccount {
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /** Of threads that live still, without the rounding of ticks. */
  readonly liveThreadsMs: number | null;
  /** Rounded to the kernel's ticks of 10 ms. */
  readonly userMs: number | null;
  readonly systemMs: number | null;
  readonly minorFaults: number | null;
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
}

export interface Accountant extends CpuAccount {
  read(pids: readonly number[]): Promise<ProcessAccount | null>;
}

/** Windows accounts when a thread gives its processor up, and at each clock interrupt. */
const WINDOWS_CLOCK_MS = 16;
/** ps prints hundredths of a second on macOS, and whole seconds elsewhere. */
const PS_UNIT_MS: Readonly<Record<string, number>> = { darwin: 10 };
const SECOND_MS = 1000;

export const PROC: Accountant = {
  source: "/proc",
  resolutionMs: 20,
  async read(pids) {
    const sum = {
      cpuMs: 0,
      liveThreadsMs: 0,
      userMs: 0,
      systemMs: 0,
      minorFaults: 0,
      residentBytes: 0,
      peakResidentBytes: 0,
    };
    for (const pid of pids) {
      const [cpu, memory] = [readCpuTime(pid), readMemory(pid)];
      if (cpu === null || memory === null) return null;
      sum.minorFaults += cpu.minorFaults;
      sum.cpuMs += cpu.totalMs;
      sum.liveThreadsMs += cpu.liveThreadsMs;
      sum.userMs += cpu.userMs;
      sum.systemMs += cpu.systemMs;
      sum.residentBytes += memory.residentBytes;
      sum.peakResidentBytes += memory.peakBytes;
    }
    return pids.length === 0 ? null : { pids, ...sum };
  },
};

export function toolAccountant(platform: NodeJS.Platform): Accountant {
  return {
    source: platform === "win32" ? "WMI (pidusage)" : "ps (pidusage)",
    resolutionMs: platform === "win32" ? WINDOWS_CLOCK_MS : (PS_UNIT_MS[platform] ?? SECOND_MS),
    async read(pids) {
      if (pids.length === 0) return null;
      // It refuses when no process is left, and leaves out those that are gone.
      const told = await pidusage([...pids], { usePs: true }).catch(() => ({}));
      const found = pids.flatMap((pid) => (told as Record<number, pidusage.Status>)[pid] ?? []);
      if (found.length < pids.length) return null;
      return {
        pids,
        cpuMs: found.reduce((sum, { ctime }) => sum + ctime, 0),
        liveThreadsMs: null,
        userMs: null,
        systemMs: null,
        minorFaults: null,
        residentBytes: found.reduce((sum, { memory }) => sum + memory, 0),
        peakResidentBytes: null,
      };
    },
  };
}

/** What the same processes used from one account to a later one; memory is the later one's. */
export function usedBetween(
  before: ProcessAccount,
  after: ProcessAccount,
): Omit<ProcessAccount, "pids" | "liveThreadsMs"> {
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

export function chooseAccountant(platform: NodeJS.Platform, hasProc: boolean): Accountant {
  return hasProc ? PROC : toolAccountant(platform);
}

export const accountant = chooseAccountant(process.platform, existsSync("/proc/self/stat"));
