import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { processTree } from "./process-tree.ts";

const GRACE_MS = 5000;
const LOOK_EVERY_MS = 50;
/** A killed process is gone soon, unless the system is stuck. */
const MOST_AFTER_KILL_MS = 5000;

/** Kills what still runs after `graceMs`. Resolves when all are gone. */
export async function endTree(root: number, graceMs = GRACE_MS): Promise<void> {
  const left = await signalAll([root], "SIGTERM", graceMs);
  if (left.length > 0) await signalAll(left, "SIGKILL", MOST_AFTER_KILL_MS);
}

async function signalAll(
  pids: readonly number[],
  signal: NodeJS.Signals,
  withinMs: number,
): Promise<readonly number[]> {
  const until = performance.now() + withinMs;
  const told = new Set<number>();
  let left = runningBelow(pids);
  while (left.length > 0 && performance.now() < until) {
    for (const pid of left) {
      if (!told.has(pid)) send(pid, signal);
      told.add(pid);
    }
    await setTimeout(LOOK_EVERY_MS);
    left = runningBelow(left);
  }
  return left;
}

/** A negative number is a process group. */
function runningBelow(pids: readonly number[]): readonly number[] {
  return [...new Set(pids.flatMap(treeOf))];
}

function treeOf(pid: number): readonly number[] {
  const tree = pid < 0 ? [] : processTree(pid);
  if (tree.length > 0) return tree.filter((one) => !isOver(one));
  // Gone; or there is no /proc.
  const head = pid < 0 || process.platform === "win32" ? pid : -pid;
  return send(head, 0) ? [head] : [];
}

function isOver(pid: number): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
