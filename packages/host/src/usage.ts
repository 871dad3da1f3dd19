import { readdirSync, readFileSync } from "node:fs";

/** USER_HZ: the unit of /proc/<pid>/stat is 1/100 s on every architecture that Node.js and workerd run on (time(7)). */
const STAT_TICK_MS = 10;

export interface MemoryUse {
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export function readCpuTimeMs(pid: number): number | null {
  return readCpuTime(pid)?.totalMs ?? null;
}

/**
 * CPU time that a process has used since its start, in milliseconds: user and system, all threads, so a
 * runtime's garbage collector and compiler threads count. Its children do not. schedstat is exact but forgets
 * threads that ended; stat keeps them but rounds to 10 ms: both are lower bounds, and the larger one counts.
 */
export function readCpuTime(
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

/** Pages that a process was given without a disk since its start. @throws {Error} without /proc, or when it is gone. */
export function readMinorFaults(pid: number): number {
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
 * Resident memory of all processes of a process group together, in bytes; pages that they share count for
 * each.
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
