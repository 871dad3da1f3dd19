import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

// Apart from everything else: supervisors import little, and start sooner.

/**
 * Lists a process and all below it, whichever process group they are in; none where it has ended or there is
 * no /proc.
 */
export function processTree(root: number): readonly number[] {
  const children = childrenOf(root);
  return children === null ? [] : [root, ...children.flatMap((child) => processTree(child))];
}

/** Lists the children of a process; null where it has ended, or there is no /proc. */
function childrenOf(pid: number): readonly number[] | null {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      try {
        const list = readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1");
        return list.split(" ").filter(Boolean).map(Number);
      } catch {
        // The thread ended since the listing.
        return [];
      }
    });
  } catch {
    return null;
  }
}

/** Tells whether a process runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/**
 * Reads the fields of /proc/…/stat (proc_pid_stat(5)) from the third on: the second, the command's name, may contain
 * blanks and parentheses.
 *
 * @param process a pid, or the path of a thread below /proc.
 * @throws {Error} where it has ended, or there is no /proc.
 */
export function statFields(process: number | string): readonly string[] {
  const stat = readFileSync(`/proc/${process}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The place of "starttime", the 22nd field, in `statFields`. */
export const START_FIELD: number = 22 - 3;

/**
 * Gives a text that no other process with the same pid has: the clock ticks from the system's start to the process's.
 * null: not known.
 */
export function startMarkOf(pid: number): string | null {
  try {
    return statFields(pid)[START_FIELD] ?? null;
  } catch {
    return null;
  }
}

/** Milliseconds that the processes of a tree have to end before they are killed. */
const TREE_GRACE_MS = 5000;
/** Milliseconds between two looks at what still runs. */
const CHECK_EVERY_MS = 50;

/**
 * Ends a process and all below it: by SIGTERM, and after `graceMs` by SIGKILL.
 *
 * @param tree lists a process and all below it, for tests.
 */
export async function endTree(
  root: number,
  graceMs: number = TREE_GRACE_MS,
  tree: typeof processTree = processTree,
): Promise<void> {
  let left = runningBelow([root], tree);
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    // A killed process is gone soon, unless the system is stuck.
    const until = performance.now() + (signal === "SIGTERM" ? graceMs : TREE_GRACE_MS);
    const signalled = new Set<number>();
    while (left.length > 0 && performance.now() < until) {
      for (const pid of left) {
        if (!signalled.has(pid)) {
          sendSignal(pid, signal);
        }
        signalled.add(pid);
      }
      await setTimeout(CHECK_EVERY_MS);
      left = runningBelow(left, tree);
    }
  }
}

/** Lists what still runs of processes and below them. A negative number is a process group. */
function runningBelow(pids: readonly number[], tree: typeof processTree): readonly number[] {
  const running = pids.flatMap((pid) => {
    const below = pid < 0 ? [] : tree(pid);
    if (below.length > 0) {
      return below.filter((found) => !hasEnded(found));
    }
    // Gone; or there is no /proc.
    const head = pid < 0 || process.platform === "win32" ? pid : -pid;
    return sendSignal(head, 0) ? [head] : [];
  });
  return [...new Set(running)];
}

/** Tells whether a process has ended, whether or not its parent has waited for it. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

/**
 * Sends a signal; 0 only asks.
 *
 * @param pid a negative number is a process group.
 * @returns whether there was anything to take it.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
