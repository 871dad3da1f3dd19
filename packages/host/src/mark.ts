// The mark by which all processes are known that a supervisor started, wherever they went.
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import { readSystemFile } from "./system-file.ts";

// Supervisors import this: it imports little, so that they start soon.

/** The shell that sets the mark. */
const SHELL = "/bin/sh";

/**
 * Sets the limit, and becomes the program that follows: dash and BusyBox call it -w, bash and zsh -x. Where it cannot be
 * set, the program runs without.
 */
const SET_AND_START = '{ ulimit -w "$1" || ulimit -x "$1"; } 2>/dev/null; shift; exec "$@"';

/** The largest mark: `randomInt` gives no larger one. */
const LARGEST = 2 ** 48 - 1;

/**
 * Gives a mark that no other command has; null on systems that have none.
 *
 * It is the limit on the number of file locks (RLIMIT_LOCKS, getrlimit(2)), which has had no effect since Linux 2.4.25.
 * A process inherits its limits, whatever it does to its session, its group, its environment and its descriptors. It
 * may lower them; so a mark below this process's own always holds.
 */
export function newMark(): string | null {
  if (process.platform !== "linux") {
    return null;
  }
  const below = Math.min(LARGEST, Number(markOf("self") ?? LARGEST));
  return below > 1 ? String(randomInt(1, below)) : null;
}

/** Gives the program and its arguments that start a program with a mark; as it is with none. */
export function markedCommand(
  mark: string | null,
  file: string,
  args: readonly string[],
): readonly [file: string, args: readonly string[]] {
  return mark === null ? [file, args] : [SHELL, ["-c", SET_AND_START, SHELL, mark, file, ...args]];
}

/** Reads the mark of a process; null where it has ended, or has none that this user may see. */
export function markOf(pid: number | "self"): string | null {
  return /^Max file locks\s+\S+\s+(\d+)/m.exec(readSystemFile(`/proc/${pid}/limits`))?.[1] ?? null;
}

/** Lists the processes with a mark that have not ended, without this one. */
export function findMarked(mark: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && markOf(pid) === mark && !hasEnded(pid));
}

/** Tells whether a process has ended, whether or not its parent has waited for it. */
export function hasEnded(pid: number): boolean {
  const status = readSystemFile(`/proc/${pid}/status`);
  return status === "" || /^State:\s*[ZX]/m.test(status);
}
