import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { CpuAccount, Sample } from "@evenbench/results";
import pidusage from "pidusage";

/** USER_HZ is 100 on every architecture that Node.js and workerd run on (time(7)). */
const STAT_TICK_MS = 10;

const MINOR_FAULTS = 7;
const CORE = 36;

/** From the third on, since the second, the command's name, may contain blanks and parentheses. */
function statFields(process: number | string): string[] {
  const stat = readFileSync(`/proc/${process}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Nanoseconds. None where the kernel keeps no schedstat. */
function threadsOf(pid: number): (readonly [thread: string, nanoseconds: number])[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      const schedstat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1");
      return [[`${pid}/task/${thread}`, Number.parseInt(schedstat, 10)] as const];
    } catch {
      // It ended since the listing.
      return [];
    }
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

export interface ExchangeCost extends Pick<Sample, "cpuMs" | "minorFaults"> {
  /** On which the busiest thread ran last; null where the kernel does not say it. */
  readonly core: number | null;
}

export const NO_COST: ExchangeCost = { cpuMs: null, minorFaults: null, core: null };

/** The kernel accounts at its clock ticks alone: read from end to end of exchanges, all readings add up. */
export function exchangeMeter(pids: () => readonly number[]): () => ExchangeCost {
  let last: ReturnType<typeof readingOf> = null;
  return () => {
    const before = last;
    const now = readingOf(pids());
    last = now;
    if (before === null || now === null || before.pids !== now.pids) {
      return NO_COST;
    }
    const used = [...now.threads].map(
      ([thread, total]) => [thread, total - (before.threads.get(thread) ?? 0)] as const,
    );
    const [[busiest]] = used.toSorted(([, a], [, b]) => b - a) as [(typeof used)[number]];
    return {
      cpuMs: sum(used.map(([, nanoseconds]) => nanoseconds)) / 1e6,
      minorFaults: now.minorFaults - before.minorFaults,
      core: coreOf(busiest),
    };
  };
}

function coreOf(thread: string): number | null {
  try {
    return Number(statFields(thread)[CORE]);
  } catch {
    return null;
  }
}

function readingOf(pids: readonly number[]) {
  try {
    const threads = new Map(pids.flatMap(threadsOf));
    const minorFaults = sum(pids.map((pid) => Number(statFields(pid)[MINOR_FAULTS])));
    return threads.size === 0 ? null : { pids: pids.join(), threads, minorFaults };
  } catch {
    return null;
  }
}

export interface ProcessAccount {
  readonly pids: readonly number[];
  readonly cpuMs: number;
  /** Without the rounding of ticks. */
  readonly liveThreadsMs: number | null;
  readonly userMs: number | null;
  readonly systemMs: number | null;
  readonly minorFaults: number | null;
  readonly residentBytes: number;
  readonly peakResidentBytes: number | null;
}

export interface Accountant extends CpuAccount {
  read(pids: readonly number[]): Promise<ProcessAccount | null>;
}

/** schedstat is exact but forgets ended threads; stat rounds to 10 ms: the larger counts. */
function readProcess(pid: number) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const resident = /^VmRSS:\s*(\d+) kB/m.exec(status)?.[1];
    const peak = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
    // A process that has ended but was not waited for has no such lines.
    if (resident === undefined || peak === undefined) {
      return null;
    }
    const liveThreadsMs = sum(threadsOf(pid).map(([, nanoseconds]) => nanoseconds)) / 1e6;
    const fields = statFields(pid);
    const userMs = Number(fields[11]) * STAT_TICK_MS;
    const systemMs = Number(fields[12]) * STAT_TICK_MS;
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

export const PROC: Accountant = {
  source: "/proc",
  resolutionMs: 20,
  async read(pids) {
    const living = pids.flatMap((pid) => readProcess(pid) ?? []);
    if (pids.length === 0 || living.length < pids.length) {
      return null;
    }
    const total = (part: Exclude<keyof ProcessAccount, "pids">) => sum(living.map((used) => used[part]));
    return {
      pids,
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

/** Windows accounts at each clock interrupt; ps in hundredths of a second on macOS, in whole ones elsewhere. */
const RESOLUTION_MS: Readonly<Record<string, number>> = { win32: 16, darwin: 10 };

const NOT_TOLD = { liveThreadsMs: null, userMs: null, systemMs: null, minorFaults: null };

export function toolAccountant(platform: NodeJS.Platform): Accountant {
  return {
    source: platform === "win32" ? "WMI (pidusage)" : "ps (pidusage)",
    resolutionMs: RESOLUTION_MS[platform] ?? 1000,
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
      return { pids, cpuMs, residentBytes, peakResidentBytes: null, ...NOT_TOLD };
    },
  };
}

/** Memory is the later one's. null where they are not of the same processes. */
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

export const accountant = existsSync("/proc/self/stat") ? PROC : toolAccountant(process.platform);
