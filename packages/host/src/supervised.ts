import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, type Host, messageOf } from "@evenbench/core";
import { ask, describeWireError, type HttpRequest, NoAnswerError } from "@evenbench/core/http";
import { makeFolder } from "@evenbench/core/make-folder";
import { SUPERVISOR, TYPE_STRIPPING } from "#repository";
import { endLeftBehind, startOf } from "./left-behind.ts";
import { HostError } from "./loopback.ts";
import { ownFolder } from "./own-folder.ts";
import { send } from "./process-tree.ts";
import { GRACE_MS, type HostCommand, monotonicMs, type SupervisorNews } from "./protocol.ts";

/** How it is seen that a server is ready. */
export interface Readiness {
  /** The path that has to answer, behind the origin: "/identity". */
  readonly what: string;
  /** Waits until the server is ready. @returns null then; what was seen last where the signal aborts before. */
  wait(url: string, signal: AbortSignal): Promise<string | null>;
}

/** The variable of a cache of compiled code, for supervisors and primaries. Processes that serve start as deployed. */
export function compileCache(): Readonly<Record<string, string>> {
  try {
    return { NODE_COMPILE_CACHE: ownFolder("compile-cache") };
  } catch {
    // Without a folder they compile anew.
    return {};
  }
}

/** Milliseconds within which a server has to be ready, where nobody says another time. */
const READY_WITHIN_MS = 30_000;

/** A log that a server is about to get. */
export interface HostLog {
  /** The descriptor of the open file. */
  readonly descriptor: number;
  /** Quotes the last lines that this server has written. */
  quote(): string;
}

/** A host whose server has been started, and may not be ready yet. */
export interface SupervisedHost extends Host {
  /** NaN until the server's process has started. */
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
  const server: ServerProcesses = { pid: null, startedAt: Number.POSITIVE_INFINITY, serving: [] };
  const known = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  let stopping: Promise<void> | undefined;
  const host = {
    url,
    startedAt: Number.NaN,
    pids: () => server.serving,
    died: ended.promise.then((how) =>
      stopping === undefined
        ? `The ${name} at ${url} died: ${how}.\n${log.quote()}`
        : new Promise<never>(() => {}),
    ),
    stop: () => {
      stopping ??= endSupervisor(supervisor, gone);
      return stopping;
    },
    ready: (readiness: Readiness, withinMs = READY_WITHIN_MS, signal?: AbortSignal) => {
      const life = { known: known.promise, ended: ended.promise };
      return waitUntilReady(url, readiness, life, withinMs, signal);
    },
  };
  const serve = (pids: readonly number[]): void => {
    server.serving = pids;
    known.resolve();
  };
  const gone = once(supervisor, "exit").then(
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
  supervisor.on("message", (news: SupervisorNews) => {
    if ("started" in news) {
      server.pid = news.started;
      server.startedAt = startOf(news.started);
      host.startedAt = performance.now() - (monotonicMs() - news.atMs);
      if (!command.reportsWorkers) {
        serve([news.started]);
      }
    } else if ("serving" in news) {
      serve(news.serving);
    } else {
      server.pid = null;
      server.serving = [];
      ended.resolve(`its process ${news.ended}`);
    }
  });
  // A failed send means that the supervisor is gone; its exit event says so to everyone who waits. Where the system
  // starts no further process, Node.js opens no channel to it either, whatever its types say.
  if (typeof supervisor.send === "function") {
    supervisor.send(command, () => {});
  }
  return host;
}

/** The processes of a server, as its supervisor reports them. */
interface ServerProcesses {
  /** Id of the process that was started; null before, and when it has ended. */
  pid: number | null;
  /** The time at which that process began, as `startOf` gives it. */
  startedAt: number;
  /** Ids of the processes that serve now. */
  serving: readonly number[];
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

/** Ends the processes of a server that lost its supervisor. */
function endServer({ pid, startedAt }: ServerProcesses, { trace }: HostCommand): void {
  if (pid === null || process.platform === "win32") {
    return;
  }
  send(-pid, "SIGKILL");
  if (trace !== undefined) {
    endLeftBehind(pid, startedAt, trace);
  }
}

/** Ends a supervisor, and with it its server. @param gone resolves when the supervisor has ended. */
async function endSupervisor(supervisor: ChildProcess, gone: Promise<void>): Promise<void> {
  if (supervisor.connected) {
    supervisor.disconnect();
  }
  const overdue = setTimeout(() => supervisor.kill("SIGKILL"), GRACE_MS + 5000);
  await gone;
  clearTimeout(overdue);
}

/** The news of a server's life that somebody may wait for. */
interface ServerLife {
  /** Resolves when the supervisor has reported which processes serve: a server may answer before. */
  readonly known: Promise<void>;
  /** Resolves when the server has ended, with how, such as "its process ended with exit code 1". */
  readonly ended: Promise<string>;
}

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
      await Promise.race([known, once(until, "abort")]);
    }
    if (!until.aborted) {
      return null;
    }
    return `${what} was not ready within ${withinMs / 1000} s (${seen ?? "its processes are still starting"})`;
  });
  const early = ended.then((how) => `${how} before ${what} answered`);
  const failure = await Promise.race([seenReady, early]);
  over.abort();
  return failure;
}

/** Opens the log of a server, behind what is there already. @throws {HostError} where it cannot be written. */
export function openLog(name: string, file: string): HostLog {
  try {
    makeFolder(dirname(file));
    const descriptor = openSync(file, "a");
    const { size } = fstatSync(descriptor);
    return { descriptor, quote: () => quoteLog(file, size) };
  } catch (error) {
    throw new HostError(
      `The ${name} cannot write its log (${messageOf(error)}). Choose a folder that is writable.`,
    );
  }
}

/** How much of a log's end is read to be quoted, in bytes. */
const TAIL_BYTES = 8192;

/** Quotes the last lines of a log, with its name. Frames of a stack are left out: they would hide the error. */
export function quoteLog(logFile: string, fromByte = 0, lines = 15): string {
  let descriptor: number;
  try {
    descriptor = openSync(logFile, "r");
  } catch (error) {
    // It was removed meanwhile, say. What is to be explained by it must not be hidden by that.
    return `${logFile} cannot be read (${(error as NodeJS.ErrnoException).code}).`;
  }
  try {
    const end = fstatSync(descriptor).size;
    const start = Math.max(fromByte, end - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(descriptor, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") {
      return `${logFile} is empty.`;
    }
    const quoted = text.split("\n").filter(isNoFrame).slice(-lines);
    return `Last lines of ${logFile}:\n${quoted.map((line) => `  | ${line}`).join("\n")}`;
  } finally {
    closeSync(descriptor);
  }
}

/** Tells whether a line is not one of a stack, such as "    at resolve (node:internal/modules/esm/resolve:1:1)". */
function isNoFrame(line: string): boolean {
  return !/^\s+at .+(?:\)|:\d+:\d+)$/.test(line);
}

/** Milliseconds between two attempts to reach a server that starts. */
const POLL_EVERY_MS = 5;
/** Milliseconds that one attempt may take. */
const ANSWER_WITHIN_MS = 5000;

/**
 * Says when a target of Evenbench is ready: when `/identity` answers.
 *
 * @param token of the host; null: it has none, and is up when it refuses for want of it.
 */
export function answersIdentity(token?: string | null): Readiness {
  const wanted = token === null ? 503 : 200;
  const what = "/identity";
  const asked = { headers: bearer(token) };
  return {
    what,
    wait: (url, signal) => waitForAnswer(url + what, signal, asked, (status) => status === wanted),
  };
}

/** Makes the readiness of an app that nobody here wrote: whatever it answers at a path, it is up. */
export function answers(path: string): Readiness {
  return {
    what: path,
    wait: (url, signal) => waitForAnswer(url + path, signal, { headers: {} }, () => true),
  };
}

/**
 * Says when a server is ready that is asked for nothing before it is measured, or does not speak HTTP: when
 * it takes connections.
 */
export function takesConnections(): Readiness {
  return { what: "", wait: waitForConnection };
}

async function waitForConnection(url: string, signal: AbortSignal): Promise<string | null> {
  const { hostname, port } = new URL(url);
  let seen = "nothing listens there";
  while (!signal.aborted) {
    const socket = connect({ host: hostname, port: Number(port), signal });
    try {
      await once(socket, "connect");
      return null;
    } catch (error) {
      if (!signal.aborted) {
        seen = describeWireError(error);
      }
    } finally {
      socket.destroy();
    }
    await delay(POLL_EVERY_MS);
  }
  return seen;
}

/**
 * Asks until an answer shows that a server is ready, or the signal aborts.
 *
 * @param isReady whether an answer of that status shows it.
 * @returns null when it is ready, else what was seen last.
 */
export async function waitForAnswer(
  url: string,
  signal: AbortSignal,
  asked: Pick<HttpRequest, "method" | "headers">,
  isReady: (status: number) => boolean,
): Promise<string | null> {
  let seen = "no answer yet";
  let hasSpoken = false;
  // Nothing is left in a pool that could count as warm later.
  const request = { ...asked, agent: false, timeoutMs: ANSWER_WITHIN_MS, signal } as const;
  while (!signal.aborted) {
    try {
      const { status } = await ask(url, request);
      if (isReady(status)) {
        return null;
      }
      seen = `HTTP ${status}`;
      hasSpoken = true;
    } catch (error) {
      if (!(error instanceof NoAnswerError)) {
        throw error;
      }
      const { how, isConnected, message } = error;
      // The last attempt is cut off midway, and says nothing of a server that was heard.
      if (how !== "aborted") {
        seen = message;
        hasSpoken = isConnected;
      } else if (isConnected && !hasSpoken) {
        seen = message;
      }
    }
    await delay(POLL_EVERY_MS);
  }
  return seen;
}
