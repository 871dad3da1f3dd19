import { readdirSync, readFileSync } from "node:fs";
import type { Sample } from "@evenbench/results";
import { readMinorFaults } from "./usage.ts";

export type ExchangeCost = Pick<Sample, "cpuMs" | "minorFaults">;

export const NO_COST: ExchangeCost = { cpuMs: null, minorFaults: null };

/** CPU time in nanoseconds by thread, and page faults, of processes since their start. */
interface Reading {
  readonly pids: readonly number[];
  readonly nanoseconds: ReadonlyMap<string, number>;
  readonly minorFaults: number;
}

/**
 * Reads what processes used since it was last asked. The kernel brings a running thread's account up to date
 * at its clock ticks alone: read from end to end of exchanges, nothing is lost and all readings add up.
 */
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
    // No /proc, or a process is gone.
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
