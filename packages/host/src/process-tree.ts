import { readdirSync, readFileSync } from "node:fs";

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
const START_FIELD: number = 22 - 3;

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
