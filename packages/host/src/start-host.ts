import { type ChildProcess, fork } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Host, messageOf } from "@evenbench/core";
import { SUPERVISOR, TYPE_STRIPPING } from "#supervisor-file";
import { confinedCommand } from "./cores.ts";
import { quoteLog } from "./log.ts";
import { HostError, LOOPBACK } from "./loopback.ts";
import { claimPort } from "./port.ts";
import type { HostCommand, SupervisorNews, SupervisorOrder } from "./protocol.ts";
import { waitForIdentity } from "./ready.ts";

/** Where Node.js keeps what it compiled of supervisors and primaries. Not for processes that serve: they start as deployed. */
export const COMPILE_CACHE = join(tmpdir(), "evenbench-compile-cache");

const START_ATTEMPTS = 3;

/** What is asked of a server that has just been started. */
export interface Readiness {
  /** What must be ready, in messages: "/identity". */
  readonly what: string;
  /** Waits until it is, or `signal` aborts. @returns null when ready, else what was seen last. */
  wait(url: string, signal: AbortSignal): Promise<string | null>;
}

function answersIdentity(token: string | null | undefined): Readiness {
  return { what: "/identity", wait: (url, signal) => waitForIdentity(url, signal, token) };
}

export interface StartHostOptions {
  /** What error messages call it: "node host". */
  readonly name: string;
  /** Loopback port; 0 for a free one. */
  readonly port: number;
  /** Takes the output of the server; appended to. Its folder is made. */
  readonly logFile: string;
  /** CPU list for taskset, or null. */
  readonly cores: string | null;
  /** As in `ServeOptions`. */
  readonly token?: string | null;
  /** The process to run, given the port that it must listen on. */
  command(port: number): HostCommand | Promise<HostCommand>;
  /** Default 30,000. */
  readonly readyWithinMs?: number;
  /** How it is seen to be ready. Default: `/identity` answers 200. */
  readonly readiness?: Readiness;
  /** How long a stop waits for the server to end by itself before it is killed. Default 2,000. */
  readonly graceMs?: number;
  /** Runs once after the last process is gone: temporary files. */
  cleanUp?(): Promise<void>;
}

/**
 * Starts a server on the loopback interface and waits until it is ready. No process of it survives this one,
 * however this one ends.
 *
 * @throws {HostError} when the port is taken (one line), or the server does not get ready (with the end of its log).
 */
export async function startHost(options: StartHostOptions): Promise<Host> {
  for (let attempt = 1; ; attempt++) {
    const port = await claimPort(options.port);
    const supervised = await supervise(options, port);
    const failure = await supervised.ready(`http://${LOOPBACK}:${port}`);
    if (failure === null) return supervised.host(`http://${LOOPBACK}:${port}`);
    const quoted = supervised.quoteLog();
    // Between our look and the server's bind another process may get a free port: then another one will do.
    const lostPort = options.port === 0 && /EADDRINUSE|address already in use/i.test(quoted);
    const lastAttempt = !lostPort || attempt === START_ATTEMPTS;
    await supervised.stop(lastAttempt);
    if (lastAttempt) throw new HostError(`The ${options.name} did not start: ${failure}.\n${quoted}`);
  }
}

/** One supervisor with its server. */
async function supervise(options: StartHostOptions, port: number) {
  const { graceMs = 2000, readyWithinMs = 30_000, readiness = answersIdentity(options.token) } = options;
  const log = openLog(options);
  const command = await options.command(port);
  const supervisor = fork(SUPERVISOR, [], {
    execArgv: TYPE_STRIPPING,
    // Stripping types anew would take longer than everything else that a supervisor does.
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor, "ipc"],
  });
  closeSync(log.descriptor);

  let serverPid: number | undefined;
  let serving: readonly number[] = [];
  let stopping: Promise<void> | undefined;
  const reported = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const gone = new Promise<void>((resolve) => {
    supervisor.once("error", (error) => {
      ended.resolve(`its supervisor could not be started (${error.message})`);
      resolve();
    });
    supervisor.once("exit", () => {
      ended.resolve("its supervisor was ended from outside");
      // No news of the server's end: it may be running without anyone to watch it.
      killGroup(serverPid);
      serving = [];
      resolve();
    });
  });
  supervisor.on("message", (news: SupervisorNews) => {
    if (news.news === "started") {
      serverPid = news.pid;
      if (!command.reportsWorkers) serving = [news.pid];
    } else if (news.news === "serving") {
      serving = news.pids;
      reported.resolve();
    } else {
      serverPid = undefined;
      serving = [];
      ended.resolve(`its process ${news.how}`);
    }
  });
  tell(supervisor, { order: "start", command: confinedCommand(command, options.cores) });

  const stop = (cleanUp = true): Promise<void> => {
    stopping ??= (async () => {
      tell(supervisor, { order: "stop", graceMs });
      const overdue = setTimeout(() => supervisor.kill("SIGKILL"), graceMs + 5000);
      await gone;
      clearTimeout(overdue);
      if (cleanUp) await options.cleanUp?.();
    })();
    return stopping;
  };

  return {
    stop,
    quoteLog: () => quoteLog(options.logFile, log.startByte),

    /** null when it is ready and the serving processes are known; else why not. */
    async ready(url: string): Promise<string | null> {
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), readyWithinMs);
      const ready = readiness.wait(url, over.signal).then(async (seen) => {
        if (seen === null && command.reportsWorkers)
          await Promise.race([reported.promise, aborted(over.signal)]);
        if (!over.signal.aborted) return null;
        return `${url}${readiness.what} was not ready within ${readyWithinMs / 1000} s (${seen ?? "workers still starting"})`;
      });
      const early = ended.promise.then((how) => `${how} before ${url}${readiness.what} answered`);
      const failure = await Promise.race([ready, early]);
      clearTimeout(timer);
      over.abort();
      return failure;
    },

    host(url: string): Host {
      const died = Promise.withResolvers<string>();
      ended.promise.then((how) => {
        if (stopping !== undefined) return;
        died.resolve(
          `The ${options.name} at ${url} died: ${how}.\n${quoteLog(options.logFile, log.startByte)}`,
        );
      });
      return { url, pids: () => serving, died: died.promise, stop: () => stop() };
    },
  };
}

function openLog(options: StartHostOptions): { descriptor: number; startByte: number } {
  try {
    mkdirSync(dirname(options.logFile), { recursive: true });
    const descriptor = openSync(options.logFile, "a");
    return { descriptor, startByte: fstatSync(descriptor).size };
  } catch (error) {
    const why = messageOf(error);
    throw new HostError(
      `The ${options.name} cannot write its log (${why}). Choose a folder that is writable.`,
    );
  }
}

function tell(supervisor: ChildProcess, order: SupervisorOrder): void {
  // A failed send means that the supervisor is gone; its exit event says so to everyone who waits.
  if (supervisor.connected) supervisor.send(order, () => {});
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === "win32") return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: gone already.
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
