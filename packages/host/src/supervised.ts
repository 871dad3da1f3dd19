import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Host } from "@evenbench/core";
import { SUPERVISOR, TYPE_STRIPPING } from "#repository";
import type { HostLog } from "./host-log.ts";
import { endLeftBehind, startTicksOf } from "./left-behind.ts";
import { ownFolder } from "./own-folder.ts";
import { sendSignal } from "./process-tree.ts";
import { type HostCommand, monotonicMs, SERVER_GRACE_MS, type SupervisorNews } from "./protocol.ts";
import type { Readiness } from "./readiness.ts";

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

/** Milliseconds within which a server has to be ready, where nobody says another time. */
const READY_WITHIN_MS = 30_000;

/** A host whose server has been started, and may not be ready yet. */
export interface SupervisedHost extends Host {
  /** When the server's process was started, by `performance.now()`; NaN until then. */
  readonly startedAt: number;
  /**
   * Waits until it is ready.
   *
   * @param withinMs default: 30 seconds.
   * @returns null when it is; else why it is not, as a sentence without its full stop.
   */
  ready(readiness: Readiness, withinMs?: number, signal?: AbortSignal): Promise<string | null>;
}

/**
 * Starts a server below a supervisor, a process that ends it where this one ends.
 *
 * @param log is taken over: its descriptor is closed here after the children inherited it.
 */
export function supervise(name: string, url: string, command: HostCommand, log: HostLog): SupervisedHost {
  const supervisor = forkSupervisor(log);
  const server: ServerProcesses = {
    pid: null,
    startTicks: Number.POSITIVE_INFINITY,
    startedAt: Number.NaN,
    serving: [],
  };
  const life: ServerLife = {
    known: Promise.withResolvers<void>(),
    ended: Promise.withResolvers<string>(),
  };
  const gone = watchSupervisor(supervisor, server, command, life);
  supervisor.on("message", (news: SupervisorNews) => takeNews(news, server, command, life));
  // A failed send means that the supervisor is gone; its exit event says so to everyone who waits. Where the system
  // starts no further process, Node.js opens no channel to it either, whatever its types say.
  if (typeof supervisor.send === "function") {
    supervisor.send(command, () => {});
  }
  let stopping: Promise<void> | undefined;
  return {
    url,
    get startedAt() {
      return server.startedAt;
    },
    pids: () => server.serving,
    died: life.ended.promise.then((how) =>
      // Stopped on purpose: it stays pending, as Host says.
      stopping === undefined
        ? `The ${name} at ${url} died: ${how}.\n${log.quote()}`
        : new Promise<never>(() => {}),
    ),
    stop: () => {
      stopping ??= endSupervisor(supervisor, gone);
      return stopping;
    },
    ready: (readiness: Readiness, withinMs = READY_WITHIN_MS, signal?: AbortSignal) =>
      waitUntilReady(url, readiness, life, withinMs, signal),
  };
}

/** The processes of a server, as its supervisor reports them. */
interface ServerProcesses {
  /** Id of the process that was started; null before, and when it has ended. */
  pid: number | null;
  /** The time at which that process began, as `startTicksOf` gives it. */
  startTicks: number;
  /** The time at which its supervisor started it, by this process's `performance.now()`; NaN before. */
  startedAt: number;
  /** Ids of the processes that serve now. */
  serving: readonly number[];
}

/** The events of a server's life that somebody may wait for. */
interface ServerLife {
  /** Resolves when the supervisor has reported which processes serve: a server may answer before. */
  readonly known: PromiseWithResolvers<void>;
  /** Resolves when the server has ended, with how, such as "its process ended with exit code 1". */
  readonly ended: PromiseWithResolvers<string>;
}

function forkSupervisor(log: HostLog): ChildProcess {
  const supervisor = fork(SUPERVISOR, [], {
    execArgv: [...TYPE_STRIPPING],
    // Stripping types anew would take longer than everything else that a supervisor does.
    env: { ...process.env, ...compileCache() },
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor, "ipc"],
  });
  closeSync(log.descriptor);
  return supervisor;
}

/** Waits for a supervisor's end. @returns a promise that resolves when it has ended, or could not be started. */
function watchSupervisor(
  supervisor: ChildProcess,
  server: ServerProcesses,
  command: HostCommand,
  { ended }: ServerLife,
): Promise<void> {
  return once(supervisor, "exit").then(
    ([, signal]) => {
      // Its server may be running without anyone to watch it.
      if (signal !== null) {
        endServer(server, command);
      }
      server.serving = [];
      ended.resolve("its supervisor was ended from outside");
    },
    ({ message }) => ended.resolve(`its supervisor could not be started (${message})`),
  );
}

/** Keeps what a supervisor reports of its server. */
function takeNews(
  news: SupervisorNews,
  server: ServerProcesses,
  command: HostCommand,
  { known, ended }: ServerLife,
): void {
  if ("ended" in news) {
    server.pid = null;
    server.serving = [];
    ended.resolve(`its process ${news.ended}`);
    return;
  }
  if ("serving" in news) {
    server.serving = news.serving;
    known.resolve();
    return;
  }
  server.pid = news.started;
  server.startTicks = startTicksOf(news.started);
  server.startedAt = performance.now() - (monotonicMs() - news.atMs);
  // A command that reports no workers serves with the process that was started.
  if (!command.reportsWorkers) {
    server.serving = [news.started];
    known.resolve();
  }
}

/** Ends the processes of a server that lost its supervisor. */
function endServer({ pid, startTicks }: ServerProcesses, { trace }: HostCommand): void {
  if (pid === null || process.platform === "win32") {
    return;
  }
  sendSignal(-pid, "SIGKILL");
  if (trace !== undefined) {
    endLeftBehind(pid, startTicks, trace);
  }
}

/** Milliseconds that a supervisor has beyond those of its server: to end it, and to say so. */
const SUPERVISOR_EXTRA_MS = 5000;

/** Ends a supervisor, and with it its server. @param gone resolves when the supervisor has ended. */
async function endSupervisor(supervisor: ChildProcess, gone: Promise<void>): Promise<void> {
  if (supervisor.connected) {
    supervisor.disconnect();
  }
  const overdue = setTimeout(() => supervisor.kill("SIGKILL"), SERVER_GRACE_MS + SUPERVISOR_EXTRA_MS);
  await gone;
  clearTimeout(overdue);
}

/**
 * Waits for the first of three: readiness, the server's end, and the time limit. The result is that of
 * `SupervisedHost.ready`.
 */
async function waitUntilReady(
  url: string,
  readiness: Readiness,
  { known, ended }: ServerLife,
  withinMs: number,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const what = `${url}${readiness.what}`;
  const over = new AbortController();
  const ends = [over.signal, AbortSignal.timeout(withinMs)];
  if (signal !== undefined) {
    ends.push(signal);
  }
  const until = AbortSignal.any(ends);
  const seenReady = readiness.wait(url, until).then(async (seen) => {
    if (seen === null && !until.aborted) {
      await Promise.race([known.promise, once(until, "abort")]);
    }
    if (!until.aborted) {
      return null;
    }
    return `${what} was not ready within ${withinMs / 1000} s (${seen ?? "its processes are still starting"})`;
  });
  const early = ended.promise.then((how) => `${how} before ${what} answered`);
  const failure = await Promise.race([seenReady, early]);
  over.abort();
  return failure;
}
