import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ: the unit of /proc/<pid>/stat is 1/100 s on every architecture that Node.js and workerd run on (time(7)). */
const STAT_TICK_MS = 10;

export interface MemoryUse {
  readonly residentBytes: number;
  /** The most that was ever resident. */
  readonly peakBytes: number;
}

/**
 * CPU time that a process has used since its start, in milliseconds: user and system, all threads, so a runtime's
 * garbage collector and compiler threads count. Its children do not.
 *
 * Two accounts of the kernel are combined. /proc/<pid>/task/<tid>/schedstat is in nanoseconds, but a thread that has
 * ended vanishes from the sum. /proc/<pid>/stat keeps ended threads, but rounds user and system down to 10 ms each. Both are
 * lower bounds; the larger one is exact while no thread has ended, and at most 20 ms short afterwards.
 * A thread that runs at the moment of reading lacks what it did since the last scheduler tick (1 to 10 ms).
 *
 * @returns null without /proc, or when the process is gone.
 */
export function readCpuTimeMs(pid: number): number | null {
  return readCpuTime(pid)?.totalMs ?? null;
}

function readCpuTime(pid: number): { totalMs: number; userMs: number; systemMs: number } | null {
  try {
    let liveThreadsMs = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) liveThreadsMs += threadCpuTimeMs(pid, thread);
    const fields = statFields(pid);
    const [userMs, systemMs] = [Number(fields[11]) * STAT_TICK_MS, Number(fields[12]) * STAT_TICK_MS];
    return { totalMs: Math.max(liveThreadsMs, userMs + systemMs), userMs, systemMs };
  } catch {
    return null;
  }
}

/** The fields of /proc/<pid>/stat from the third on. The second, the command's name, may contain blanks and parentheses. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** What the system accounts to processes together, since each of them started. */
export interface ProcessAccount {
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /** User and system are rounded to the kernel's ticks of 10 ms. */
  readonly userMs: number;
  readonly systemMs: number;
  readonly residentBytes: number;
  readonly peakResidentBytes: number;
}

/** Adds up CPU time and memory of processes; null where one of them is gone, or without /proc. */
export function readProcesses(pids: readonly number[]): ProcessAccount | null {
  const sum = { cpuMs: 0, userMs: 0, systemMs: 0, residentBytes: 0, peakResidentBytes: 0 };
  for (const pid of pids) {
    const [cpu, memory] = [readCpuTime(pid), readMemory(pid)];
    if (cpu === null || memory === null) return null;
    sum.cpuMs += cpu.totalMs;
    sum.userMs += cpu.userMs;
    sum.systemMs += cpu.systemMs;
    sum.residentBytes += memory.residentBytes;
    sum.peakResidentBytes += memory.peakBytes;
  }
  return pids.length === 0 ? null : { pids, ...sum };
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

/** Resident memory of a process (VmRSS and VmHWM of /proc/<pid>/status), or null without /proc or when it is gone. */
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

/**
 * Resident memory of all processes of a process group together, in bytes; pages that they share count for each.
 *
 * @returns null without /proc, or when the group is empty.
 */
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
