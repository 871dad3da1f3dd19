import { type ChildProcess, fork, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { SUPERVISOR, TYPE_STRIPPING } from "#repository";
import { toolEnvironment } from "./environment.ts";
import { findMarked, markedCommand, newMark } from "./mark.ts";
import { ownFolder } from "./own-folder.ts";
import { processTree, sendSignal } from "./process-tree.ts";
import {
  type CommandEnd,
  type HostCommand,
  monotonicMs,
  NOT_STARTED,
  type SupervisorNews,
  type SupervisorOrder,
} from "./protocol.ts";

/**
 * Gives the variable of a cache of compiled code, for supervisors and primaries; none where there is no folder for it.
 * Processes that serve get no cache: they start as deployed.
 */
export function compileCache(): Readonly<Record<string, string>> {
  try {
    return { NODE_COMPILE_CACHE: ownFolder("compile-cache") };
  } catch {
    return {};
  }
}

/** How a command is run. */
export interface SupervisedOptions {
  /** Milliseconds that its processes have to end before they are killed. */
  readonly graceMs: number;
  /** Its stdin, stdout and stderr, as `spawn` takes them. */
  readonly stdio: readonly [stdin: "ignore" | "pipe", stdout: "pipe" | number, stderr: "pipe" | number];
  /** The file that its stdout and stderr go to, and whose size is bounded. Default: none. */
  readonly logFile?: string;
}

/** A command below a supervisor, a process that ends it where this one ends. */
export interface SupervisedCommand {
  /** The supervisor: what is piped to it reaches the command. */
  readonly supervisor: ChildProcess;
  /** When the command's process was started, by `performance.now()`; NaN until then. */
  readonly startedAt: number;
  /** Ids of the processes that serve now: the one that was started, or those that it reports. */
  readonly serving: readonly number[];
  /** Ids of all its processes, also of those that do not serve, or left its tree; none without a /proc. */
  readonly processes: readonly number[];
  /** Number of bytes that were written to its log so far. */
  readonly loggedBytes: number;
  /** Resolves when it is known which processes serve. */
  readonly known: Promise<void>;
  /** Resolves when the command has ended, and all that it started. */
  readonly ended: Promise<CommandEnd>;
  /** Ends it. Resolves when its supervisor is gone, too. Safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a command below a supervisor. Servers, builds, installs and all other programs are started so. */
export function superviseCommand(
  command: HostCommand,
  { graceMs, stdio, logFile }: SupervisedOptions,
): SupervisedCommand {
  const mark = newMark();
  const supervisor = forkSupervisor(mark, [...stdio, "ipc"]);
  const known = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<CommandEnd>();
  const state = {
    pid: null as number | null,
    startedAt: Number.NaN,
    serving: [] as readonly number[],
    loggedBytes: 0,
  };
  supervisor.on("message", (news: SupervisorNews) => {
    if ("ended" in news) {
      state.pid = null;
      state.serving = [];
      nameLeft(command, news.ended);
      ended.resolve(news.ended);
    } else if ("logged" in news) {
      state.loggedBytes = news.logged;
    } else if ("serving" in news) {
      state.serving = news.serving;
      known.resolve();
    } else {
      state.pid = news.started;
      state.startedAt = performance.now() - (monotonicMs() - news.atMs);
      // A command that reports no workers serves with the process that was started.
      if (!command.reportsWorkers) {
        state.serving = [news.started];
        known.resolve();
      }
    }
  });
  const gone = once(supervisor, "exit").then(
    async ([, signal]) => {
      // What it said last is read up to here: its exit may be seen before.
      if (supervisor.connected) {
        await once(supervisor, "disconnect");
      }
      // Its command may be running without anyone to watch it.
      if (signal !== null) {
        killCommand(state.pid, mark);
      }
      state.serving = [];
      ended.resolve({ ...NOT_STARTED, error: "its supervisor was ended from outside" });
    },
    ({ message }) =>
      ended.resolve({ ...NOT_STARTED, error: `its supervisor could not be started (${message})` }),
  );
  const send = (order: SupervisorOrder): void => {
    // A failed send means that the supervisor is gone; its exit event says so to everyone who waits. Where the system
    // starts no further process, Node.js opens no channel to it either, whatever its types say.
    if (typeof supervisor.send === "function" && supervisor.connected) {
      supervisor.send(order, () => {});
    }
  };
  send({ command, mark, graceMs, logFile: logFile ?? null });
  let stopping: Promise<void> | undefined;
  return {
    supervisor,
    known: known.promise,
    ended: ended.promise,
    get startedAt() {
      return state.startedAt;
    },
    get serving() {
      return state.serving;
    },
    get processes() {
      const marked = mark === null ? [] : findMarked(mark);
      // A system may refuse the mark, and may keep no lists of children.
      return [...new Set([...marked, ...processTree(state.pid ?? 0)])];
    },
    get loggedBytes() {
      return state.loggedBytes;
    },
    stop() {
      send({ stop: true });
      stopping ??= endOverdue(supervisor, gone, graceMs);
      return stopping;
    },
  };
}

function forkSupervisor(mark: string | null, stdio: StdioOptions): ChildProcess {
  const [file, [...args]] = markedCommand(mark, process.execPath, TYPE_STRIPPING);
  return fork(SUPERVISOR, [], {
    execPath: file,
    execArgv: args,
    // Stripping types anew would take longer than everything else that a supervisor does.
    // Next.js' types, which know this file, want NODE_ENV in every environment.
    env: toolEnvironment(compileCache()) as NodeJS.ProcessEnv,
    detached: true,
    stdio,
  });
}

/** Names what could not be ended of a command: nobody else would know of it. */
function nameLeft({ file, args }: HostCommand, { left }: CommandEnd): void {
  if (left.length > 0) {
    const pids = left.join(" ");
    console.error(
      `evenbench: ${[file, ...args].join(" ")} started what cannot be ended: pid ${pids}. End it by hand.`,
    );
  }
}

/** Kills the processes of a command that lost its supervisor. */
function killCommand(pid: number | null, mark: string | null): void {
  for (const marked of mark === null ? [] : findMarked(mark)) {
    sendSignal(marked, "SIGKILL");
  }
  if (pid !== null) {
    sendSignal(process.platform === "win32" ? pid : -pid, "SIGKILL");
  }
}

/** Milliseconds that a supervisor has beyond those of its command: to end it, and to say so. */
const SUPERVISOR_EXTRA_MS = 5000;

/** Waits for the end of a supervisor that was told to stop, and kills it where it does not. */
async function endOverdue(supervisor: ChildProcess, gone: Promise<void>, graceMs: number): Promise<void> {
  const overdue = setTimeout(() => supervisor.kill("SIGKILL"), graceMs + SUPERVISOR_EXTRA_MS);
  await gone;
  clearTimeout(overdue);
}

/** Says how a command ended, in words that go behind "its process": "ended with exit code 1". */
export function describeEnd({ code, signal, error, wentOn }: CommandEnd): string {
  if (error !== null) {
    return `could not run: ${error}`;
  }
  if (wentOn !== null) {
    return `left the foreground (it ended with exit code 0, and pid ${wentOn} went on). Start it in the foreground, such as nginx -g "daemon off;", or gunicorn without --daemon`;
  }
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
