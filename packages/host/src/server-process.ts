import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Host } from "@evenbench/core";
import type { HostLog } from "./host-log.ts";
import { type HostCommand, SERVER_GRACE_MS } from "./protocol.ts";
import type { Readiness } from "./readiness.ts";
import { describeEnd, type SupervisedCommand, superviseCommand } from "./supervised.ts";

/** Milliseconds within which a server has to be ready, where nobody says another time. */
const READY_WITHIN_MS = 30_000;

/** A host whose server has been started, and may not be ready yet. */
export interface StartedHost extends Host {
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
 * Starts a server below a supervisor.
 *
 * @param log is taken over: its descriptor is closed here after the children inherited it.
 */
export function startServer(name: string, url: string, command: HostCommand, log: HostLog): StartedHost {
  const server = superviseCommand(command, {
    graceMs: SERVER_GRACE_MS,
    stdio: ["ignore", log.descriptor, log.descriptor],
    logFile: log.file,
  });
  closeSync(log.descriptor);
  const ended = server.ended.then((end) => `its process ${describeEnd(end)}`);
  let isStopped = false;
  return {
    url,
    get startedAt() {
      return server.startedAt;
    },
    pids: () => server.serving,
    loggedBytes: () => server.loggedBytes,
    died: ended.then((how) =>
      // Stopped on purpose: it stays pending, as Host says.
      isStopped
        ? new Promise<never>(() => {})
        : { message: `The ${name} at ${url} died: ${how}.`, quotes: [log.quote()] },
    ),
    stop: () => {
      isStopped = true;
      return server.stop();
    },
    ready: (readiness, withinMs = READY_WITHIN_MS, signal) =>
      waitUntilReady(url, readiness, { known: server.known, ended }, withinMs, signal),
  };
}

/**
 * Waits for the first of three: readiness, the server's end, and the time limit. The result is that of
 * `StartedHost.ready`.
 *
 * @param ended resolves with how the server ended: "its process ended with exit code 1".
 */
async function waitUntilReady(
  url: string,
  readiness: Readiness,
  { known, ended }: Pick<SupervisedCommand, "known"> & { readonly ended: Promise<string> },
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
      // A server may answer before its supervisor has reported which processes serve.
      await Promise.race([known, once(until, "abort")]);
    }
    if (!until.aborted) {
      return seen === null ? null : `${what} cannot be measured: ${seen}`;
    }
    return `${what} was not ready within ${withinMs / 1000} s (${seen ?? "its processes are still starting"})`;
  });
  const early = ended.then((how) => `${how} before ${what} answered`);
  const failure = await Promise.race([seenReady, early]);
  over.abort();
  return failure;
}
