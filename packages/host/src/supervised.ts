import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, messageOf } from "@evenbench/core";
import { ask, describeWireError, type HttpRequest, NoAnswerError } from "@evenbench/core/http";
import { makeFolder } from "@evenbench/core/make-folder";
import { SUPERVISOR, TYPE_STRIPPING } from "#repository";
import { endLeftBehind, startOf } from "./left-behind.ts";
import { HostError } from "./loopback.ts";
import { ownFolder } from "./own-folder.ts";
import { send } from "./process-tree.ts";
import { GRACE_MS, type HostCommand, monotonicMs, type SupervisorNews } from "./protocol.ts";

export interface Readiness {
  readonly what: string;
  /** @returns null when ready, else what was seen last. */
  wait(url: string, signal: AbortSignal): Promise<string | null>;
}

/** Of supervisors and primaries. Processes that serve start as deployed. */
export function compileCache(): Readonly<Record<string, string>> {
  try {
    return { NODE_COMPILE_CACHE: ownFolder("compile-cache") };
  } catch {
    // Without a folder they compile anew.
    return {};
  }
}

/** Closes the log, which its processes have then. */
export function supervise(name: string, url: string, command: HostCommand, log: ReturnType<typeof openLog>) {
  const supervisor = fork(SUPERVISOR, [], {
    execArgv: TYPE_STRIPPING,
    // Stripping types anew would take longer than everything else that a supervisor does.
    env: { ...process.env, ...compileCache() },
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor, "ipc"],
  });
  closeSync(log.descriptor);
  // Where the system starts no further process, Node.js opens no channel to it either, whatever its types say.
  const hasChannel = typeof supervisor.send === "function";
  /** It is known which processes serve: a server may answer before its supervisor has said so. */
  const known = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  let serverPid: number | undefined;
  /** When that began, by the clock of the kernel. */
  let serverStart = Number.POSITIVE_INFINITY;
  let serving: readonly number[] = [];
  let stopping: Promise<void> | undefined;
  const host = {
    url,
    startedAt: Number.NaN,
    pids: () => serving,
    died: ended.promise.then((how) =>
      stopping === undefined
        ? `The ${name} at ${url} died: ${how}.\n${log.quote()}`
        : new Promise<never>(() => {}),
    ),
    stop: () => {
      stopping ??= end();
      return stopping;
    },
    ready,
  };
  const gone = once(supervisor, "exit").then(
    ([, signal]) => {
      // Its server may be running without anyone to watch it.
      if (signal !== null && serverPid !== undefined && process.platform !== "win32") {
        send(-serverPid, "SIGKILL");
        if (command.trace !== undefined) {
          endLeftBehind(serverPid, serverStart, command.trace);
        }
      }
      serving = [];
      ended.resolve("its supervisor was ended from outside");
    },
    ({ message }) => ended.resolve(`its supervisor could not be started (${message})`),
  );
  supervisor.on("message", (news: SupervisorNews) => {
    if ("started" in news) {
      serverPid = news.started;
      serverStart = startOf(serverPid);
      host.startedAt = performance.now() - (monotonicMs() - news.atMs);
      if (!command.reportsWorkers) {
        serve([serverPid]);
      }
    } else if ("serving" in news) {
      serve(news.serving);
    } else {
      serverPid = undefined;
      serving = [];
      ended.resolve(`its process ${news.ended}`);
    }
  });
  // A failed send means that the supervisor is gone; its exit event says so to everyone who waits.
  if (hasChannel) {
    supervisor.send(command, () => {});
  }
  return host;

  async function ready(readiness: Readiness, withinMs = 30_000, signal?: AbortSignal) {
    const what = `${url}${readiness.what}`;
    const over = new AbortController();
    const until = AbortSignal.any([over.signal, AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]);
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

  async function end(): Promise<void> {
    if (supervisor.connected) {
      supervisor.disconnect();
    }
    const overdue = setTimeout(() => supervisor.kill("SIGKILL"), GRACE_MS + 5000);
    await gone;
    clearTimeout(overdue);
  }

  function serve(pids: readonly number[]): void {
    serving = pids;
    known.resolve();
  }
}

/** Its `quote` is of what this server says. */
export function openLog(name: string, file: string) {
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

const TAIL_BYTES = 8192;

/** The last lines of a log, in words. Frames of a stack are left out: they would hide the error. */
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

/** "    at resolve (node:internal/modules/esm/resolve:1:1)" */
function isNoFrame(line: string): boolean {
  return !/^\s+at .+(?:\)|:\d+:\d+)$/.test(line);
}

const POLL_EVERY_MS = 5;
const ANSWER_WITHIN_MS = 5000;

/** A host that lacks its token is up when it refuses for want of it. */
export function answersIdentity(token?: string | null): Readiness {
  const wanted = token === null ? 503 : 200;
  const what = "/identity";
  const asked = { headers: bearer(token) };
  return {
    what,
    wait: (url, signal) => waitForAnswer(url + what, signal, asked, (status) => status === wanted),
  };
}

/** For apps that nobody here wrote: whatever they answer, they are up. */
export function answers(path: string): Readiness {
  return {
    what: path,
    wait: (url, signal) => waitForAnswer(url + path, signal, { headers: {} }, () => true),
  };
}

/** For servers that are asked for nothing before they are measured, or do not speak HTTP. */
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

/** @param isReady whether an answer of that status shows that the server is ready. */
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
