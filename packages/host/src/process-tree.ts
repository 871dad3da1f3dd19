import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { readSystemFile } from "./system-file.ts";

// Apart from everything else: supervisors import little, and start sooner.

/**
 * Lists a process and all below it, whichever process group they are in; none where it has ended or there is
 * no /proc.
 */
export function processTree(root: number): readonly number[] {
  const children = childrenOf(root);
  return children === null ? [] : [root, ...children.flatMap((child) => processTree(child))];
}

/**
 * Lists the processes that a command serves by: all of its own, but where a package manager started the server, those below
 * the package manager and its shells. `npm start` is measured as what it starts.
 */
export function servingTree(root: number): readonly number[] {
  const { servers, hasManager } = behindLaunchers(root);
  return hasManager && servers.length > 0 ? servers.flatMap(processTree) : processTree(root);
}

/** What launchers, which are shells and package managers, have started. */
interface Launched {
  /** The first processes behind them that are no launchers. */
  readonly servers: readonly number[];
  readonly hasManager: boolean;
}

/** Goes down from a process as long as there are launchers alone: nothing that a server starts is looked at. */
function behindLaunchers(pid: number): Launched {
  const isManager = isPackageManager(pid);
  if (!isManager && !isShell(pid)) {
    return { servers: [pid], hasManager: false };
  }
  const below = (childrenOf(pid) ?? []).map(behindLaunchers);
  return {
    servers: below.flatMap(({ servers }) => servers),
    hasManager: isManager || below.some(({ hasManager }) => hasManager),
  };
}

/** Name of the program that runs package managers, as it runs this. */
const RUNTIME = basename(process.execPath);

/** Names of package managers and of the files that are them: "npm", "npm-cli.js", "pnpm.cjs", "yarn-1.22.22.js". */
const PACKAGE_MANAGER = /^(?:npm|npx|pnpm|yarn)(?:-cli)?(?:-[\d.]+)?(?:\.[cm]?js)?$/;

/** Tells whether a process is a package manager, by its program, the file that Node.js runs, or the title that npm gives itself. */
function isPackageManager(pid: number): boolean {
  const [program = "", file = ""] = wordsOf(pid).filter((word) => !word.startsWith("-"));
  const name = basename(program);
  return PACKAGE_MANAGER.test(name) || (name === RUNTIME && PACKAGE_MANAGER.test(basename(file)));
}

const SHELLS = ["sh", "ash", "bash", "dash", "zsh"];

function isShell(pid: number): boolean {
  return SHELLS.includes(basename(wordsOf(pid)[0] ?? ""));
}

/** Reads the words that a process was started with; none where it has ended. A title is one text with blanks. */
function wordsOf(pid: number): readonly string[] {
  return readSystemFile(`/proc/${pid}/cmdline`).split(/[\0 ]+/);
}

/** Lists the values of a variable that processes were started with, each once; none where they have ended, or there is no /proc. */
export function startedWith(name: string, pids: readonly number[]): readonly string[] {
  const variables = pids.flatMap((pid) => readSystemFile(`/proc/${pid}/environ`).split("\0"));
  const own = variables.filter((variable) => variable.startsWith(`${name}=`));
  return [...new Set(own.map((variable) => variable.slice(name.length + 1)))];
}

/** Milliseconds of a clock tick in /proc, whatever the kernel's own are (USER_HZ). */
const TICK_MS = 10;

/** Gives how long ago a process was started, in milliseconds, to within a clock tick; null where that is not known. */
export function ageMsOf(pid: number): number | null {
  try {
    const uptimeMs = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 1000;
    const startMs = Number(statFields(pid)[START_FIELD]) * TICK_MS;
    return Number.isFinite(startMs) ? uptimeMs - startMs : null;
  } catch {
    return null;
  }
}

/** Lists the children of a process; null where it has ended, or there is no /proc. */
function childrenOf(pid: number): readonly number[] | null {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const list = readSystemFile(`/proc/${pid}/task/${thread}/children`);
      return list.split(" ").filter(Boolean).map(Number);
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
