import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { bearer, type Host } from "@evenbench/core";
import { ask, NoAnswerError } from "@evenbench/core/http";
import { send } from "./process-tree.ts";
import { type HostCommand, monotonicMs, type SupervisorNews, type SupervisorOrder } from "./protocol.ts";

export interface Readiness {
  readonly what: string;
  /** @returns null when ready, else what was seen last. */
  wait(url: string, signal: AbortSignal): Promise<string | null>;
}

/** Before it is killed. */
const GRACE_MS = 2000;

export interface Supervised {
  /** @returns null, or why not. */
  ready(readiness: Readiness, withinMs?: number, signal?: AbortSignal): Promise<string | null>;
  host(): Host;
  stop(): Promise<void>;
  quoteLog(): string;
}

export function supervise(
  supervisor: ChildProcess,
  command: HostCommand,
  { name, url, log }: { readonly name: string; readonly url: string; readonly log: LogPlace },
): Supervised {
  /** It is known which processes serve: a server may answer before its supervisor has said so. */
  const known = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const gone = Promise.withResolvers<void>();
  let serverPid: number | undefined;
  let startedAt = Number.NaN;
  let serving: readonly number[] = [];
  let stopping: Promise<void> | undefined;

  supervisor.once("error", (error) => {
    ended.resolve(`its supervisor could not be started (${error.message})`);
    gone.resolve();
  });
  supervisor.once("exit", () => {
    ended.resolve("its supervisor was ended from outside");
    // No news of the server's end: it may be running without anyone to watch it.
    if (serverPid !== undefined && process.platform !== "win32") send(-serverPid, "SIGKILL");
    serving = [];
    gone.resolve();
  });
  supervisor.on("message", (news: SupervisorNews) => {
    if (news.news === "started") {
      serverPid = news.pid;
      startedAt = performance.now() - (monotonicMs() - news.atMs);
      if (!command.reportsWorkers) serve([news.pid]);
    } else if (news.news === "serving") {
      serve(news.pids);
    } else {
      serverPid = undefined;
      serving = [];
      ended.resolve(`its process ${news.how}`);
    }
  });
  tell({ order: "start", command });
  return { ready, host, stop, quoteLog: () => quoteLog(log.file, log.startByte) };

  async function ready(
    readiness: Readiness,
    withinMs = 30_000,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const what = `${url}${readiness.what}`;
    const over = new AbortController();
    const until = AbortSignal.any([over.signal, AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]);
    const seenReady = readiness.wait(url, until).then(async (seen) => {
      if (seen === null && !until.aborted) await Promise.race([known.promise, once(until, "abort")]);
      if (!until.aborted) return null;
      return `${what} was not ready within ${withinMs / 1000} s (${seen ?? "its processes are still starting"})`;
    });
    const early = ended.promise.then((how) => `${how} before ${what} answered`);
    const failure = await Promise.race([seenReady, early]);
    over.abort();
    return failure;
  }

  function host(): Host {
    const died = Promise.withResolvers<string>();
    ended.promise.then((how) => {
      if (stopping !== undefined) return;
      died.resolve(`The ${name} at ${url} died: ${how}.\n${quoteLog(log.file, log.startByte)}`);
    });
    return { url, startedAt, pids: () => serving, died: died.promise, stop };
  }

  function stop(): Promise<void> {
    stopping ??= end();
    return stopping;
  }

  async function end(): Promise<void> {
    tell({ order: "stop", graceMs: GRACE_MS });
    const overdue = setTimeout(() => supervisor.kill("SIGKILL"), GRACE_MS + 5000);
    await gone.promise;
    clearTimeout(overdue);
  }

  function serve(pids: readonly number[]): void {
    serving = pids;
    known.resolve();
  }

  function tell(order: SupervisorOrder): void {
    // A failed send means that the supervisor is gone; its exit event says so to everyone who waits.
    if (supervisor.connected) supervisor.send(order, () => {});
  }
}

interface LogPlace {
  readonly file: string;
  readonly startByte: number;
}

const TAIL_BYTES = 8192;

/** Frames of a stack are left out: they would hide the error. */
export function quoteLog(logFile: string, fromByte = 0, lines = 15): string {
  const descriptor = openSync(logFile, "r");
  try {
    const end = fstatSync(descriptor).size;
    const start = Math.max(fromByte, end - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(descriptor, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") return `${logFile} is empty.`;
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
  const expected = token === null ? 503 : 200;
  const what = "/identity";
  const willDo = (status: number) => status === expected;
  return { what, wait: (url, signal) => waitForAnswer(url + what, signal, bearer(token), willDo) };
}

export async function waitForAnswer(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
  willDo: (status: number) => boolean,
): Promise<string | null> {
  let [seen, hasSpoken] = ["no answer yet", false];
  // Nothing is left in a pool that could count as warm later.
  const request = { headers, agent: false, timeoutMs: ANSWER_WITHIN_MS, signal } as const;
  while (!signal.aborted) {
    try {
      const { status } = await ask(url, request);
      if (willDo(status)) return null;
      [seen, hasSpoken] = [`HTTP ${status}`, true];
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      const { how, isConnected, message } = error;
      // The last attempt is cut off midway, and says nothing of a server that was heard.
      if (how !== "aborted") [seen, hasSpoken] = [message, isConnected];
      else if (isConnected && !hasSpoken) seen = message;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return seen;
}
