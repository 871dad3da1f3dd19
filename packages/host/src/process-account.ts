import { existsSync } from "node:fs";
import type { CpuAccount } from "@evenbench/results";
import pidusage from "pidusage";
import { readCpuTime, readMemory } from "./usage.ts";

/** What the system accounts to processes together, since each of them started. */
export interface ProcessAccount {
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /**
   * The part of `cpuMs` that threads used which live still, where the source reports it, without the rounding
   * of its ticks.
   */
  readonly liveThreadsMs: number | null;
  /** User and system apart, where the source reports them: /proc does, rounded to the kernel's ticks of 10 ms. */
  readonly userMs: number | null;
  readonly systemMs: number | null;
  /** Pages that the kernel gave without a disk, where the source reports them. */
  readonly minorFaults: number | null;
  readonly residentBytes: number;
  /** The most that was ever resident, where the source reports it. */
  readonly peakResidentBytes: number | null;
}

export interface Accountant extends CpuAccount {
  /** Adds up CPU time and memory of processes; null where there are none, or one of them is gone. */
  read(pids: readonly number[]): Promise<ProcessAccount | null>;
}

/**
 * Windows brings its account of a thread up to date when the thread gives its processor up, and at each clock
 * interrupt.
 */
const WINDOWS_CLOCK_MS = 16;
/** ps prints hundredths of a second on macOS, and whole seconds elsewhere. */
const PS_UNIT_MS: Readonly<Record<string, number>> = { darwin: 10 };
const SECOND_MS = 1000;

/** Where there is /proc: read at once, before `read` returns. See `readCpuTime`. */
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

/** The system's own tool, asked by the package pidusage: ps, or WMI on Windows. */
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
