import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Lists the pids of all processes below one, by the system's own list. */
export function descendants(ancestor: number): number[] {
  const { stdout, pid: psPid } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const rows = stdout.trim().split("\n");
  const parentOf = new Map(rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]));
  const isBelow = (pid: number): boolean => {
    const parent = parentOf.get(pid);
    return parent !== undefined && (parent === ancestor || isBelow(parent));
  };
  return [...parentOf.keys()].filter((pid) => pid !== psPid && isBelow(pid));
}

/** Sends a signal to all of a process group that are left; to none where it has ended. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}

/** Tells whether a process runs. One that has ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") {
      return true;
    }
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return !/^State:\s*[ZX]/m.test(status) && Number(/^Tgid:\s*(\d+)/m.exec(status)?.[1]) === pid;
  } catch {
    return false;
  }
}

/** Waits until none of some processes runs. @returns the pids of those that still do after `withinMs`. */
export async function stillRunning(pids: readonly number[], withinMs = 60_000): Promise<number[]> {
  const until = Date.now() + withinMs;
  let running = pids.filter(isRunning);
  while (running.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    running = running.filter(isRunning);
  }
  return running;
}
