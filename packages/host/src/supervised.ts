import type { ChildProcess } from "node:child_process";
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

interface SupervisedOptions {
  readonly name: string;
  readonly url: string;
  readonly log: { readonly file: string; readonly startByte: number };
}

export class Supervised {
  readonly #supervisor: ChildProcess;
  readonly #options: SupervisedOptions;
  readonly #reportsWorkers: boolean;
  /** It is known which processes serve: a server may answer before its supervisor has said so. */
  readonly #known = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<string>();
  readonly #gone = Promise.withResolvers<void>();
  #serverPid: number | undefined;
  #startedAt = Number.NaN;
  #serving: readonly number[] = [];
  #stopping: Promise<void> | undefined;

  constructor(supervisor: ChildProcess, command: HostCommand, options: SupervisedOptions) {
    this.#supervisor = supervisor;
    this.#options = options;
    this.#reportsWorkers = command.reportsWorkers ?? false;
    supervisor.once("error", (error) => {
      this.#ended.resolve(`its supervisor could not be started (${error.message})`);
      this.#gone.resolve();
    });
    supervisor.once("exit", () => this.#leave());
    supervisor.on("message", (news: SupervisorNews) => this.#hear(news));
    this.#tell({ order: "start", command });
  }

  async ready(readiness: Readiness, withinMs = 30_000, signal?: AbortSignal): Promise<string | null> {
    const what = `${this.#options.url}${readiness.what}`;
    const over = new AbortController();
    const until = AbortSignal.any([over.signal, AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]);
    const ready = readiness.wait(this.#options.url, until).then(async (seen) => {
      if (seen === null) await Promise.race([this.#known.promise, aborted(until)]);
      if (!until.aborted) return null;
      return `${what} was not ready within ${withinMs / 1000} s (${seen ?? "its processes are still starting"})`;
    });
    const early = this.#ended.promise.then((how) => `${how} before ${what} answered`);
    const failure = await Promise.race([ready, early]);
    over.abort();
    return failure;
  }

  host(): Host {
    const { name, url } = this.#options;
    const died = Promise.withResolvers<string>();
    this.#ended.promise.then((how) => {
      if (this.#stopping !== undefined) return;
      died.resolve(`The ${name} at ${url} died: ${how}.\n${this.quoteLog()}`);
    });
    return {
      url,
      startedAt: this.#startedAt,
      pids: () => this.#serving,
      died: died.promise,
      stop: () => this.stop(),
    };
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  quoteLog(): string {
    const { file, startByte } = this.#options.log;
    return quoteLog(file, startByte);
  }

  #hear(news: SupervisorNews): void {
    if (news.news === "started") {
      this.#serverPid = news.pid;
      this.#startedAt = performance.now() - (monotonicMs() - news.atMs);
      if (!this.#reportsWorkers) this.#serve([news.pid]);
    } else if (news.news === "serving") {
      this.#serve(news.pids);
    } else {
      this.#serverPid = undefined;
      this.#serving = [];
      this.#ended.resolve(`its process ${news.how}`);
    }
  }

  #serve(pids: readonly number[]): void {
    this.#serving = pids;
    this.#known.resolve();
  }

  #leave(): void {
    this.#ended.resolve("its supervisor was ended from outside");
    // No news of the server's end: it may be running without anyone to watch it.
    if (this.#serverPid !== undefined && process.platform !== "win32") send(-this.#serverPid, "SIGKILL");
    this.#serving = [];
    this.#gone.resolve();
  }

  async #end(): Promise<void> {
    this.#tell({ order: "stop", graceMs: GRACE_MS });
    const overdue = setTimeout(() => this.#supervisor.kill("SIGKILL"), GRACE_MS + 5000);
    await this.#gone.promise;
    clearTimeout(overdue);
  }

  #tell(order: SupervisorOrder): void {
    // A failed send means that the supervisor is gone; its exit event says so to everyone who waits.
    if (this.#supervisor.connected) this.#supervisor.send(order, () => {});
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
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
