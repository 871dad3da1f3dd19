import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Host } from "@evenbench/core";
import type { HostLog } from "./host-log.ts";
import { type Listening, listeningOf } from "./listening.ts";
import { type HostCommand, SERVER_GRACE_MS } from "./protocol.ts";
import type { NotReady, Readiness } from "./readiness.ts";
import { describeEnd, type SupervisedCommand, superviseCommand } from "./supervised.ts";

/** Milliseconds within which a server has to be ready, where nobody says another time. */
const READY_WITHIN_MS = 30_000;

/** A host whose server has been started, and may not be ready yet. */
export interface StartedHost extends Host {
  /** When the server's process was started, by `performance.now()`; NaN until then. */
  readonly startedAt: number;
  /** When its readiness was seen, by `performance.now()`; NaN until then. */
  readonly readyAt: number;
  /**
   * Waits until it is ready. An answer of another process is no readiness.
   *
   * @param withinMs default: 30 seconds.
   * @returns null when it is; else why it is not, its message a sentence without its full stop.
   */
  ready(readiness: Readiness, withinMs?: number, signal?: AbortSignal): Promise<NotReady | null>;
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
  const listening = () => listeningOf(() => server.processes, Number(new URL(url).port));
  const looked = { known: server.known, ended: server.ended, listening };
  let isStopped = false;
  let readyAt = Number.NaN;
  return {
    url,
    get startedAt() {
      return server.startedAt;
    },
    get readyAt() {
      return readyAt;
    },
    pids: () => server.serving,
    loggedBytes: () => server.loggedBytes,
    died: server.ended.then((end) =>
      // Stopped on purpose: it stays pending, as Host says.
      isStopped
        ? new Promise<never>(() => {})
        : { message: `The ${name} at ${url} died: its process ${describeEnd(end)}.`, quotes: [log.quote()] },
    ),
    stop: () => {
      isStopped = true;
      return server.stop();
    },
    ready: async (readiness, withinMs = READY_WITHIN_MS, signal) => {
      const failure = await waitUntilReady(url, readiness, looked, withinMs, signal);
      // Whose sockets there are takes its time, which is none of the start.
      readyAt = performance.now();
      if (failure !== null || readiness.isByOthers === true || !listening().isTaken) {
        return failure;
      }
      const message = `another process listens at ${url}, too: end it, or choose another port`;
      return { how: "taken", message };
    },
  };
}

/** What is seen of a server that answers before it is known which processes serve. */
const STARTING: NotReady = { how: "starting", message: "its processes are still starting" };

/**
 * Waits for the first of three: an answer that shows readiness, the server's end, and the time limit. The result is that of
 * `StartedHost.ready`.
 */
async function waitUntilReady(
  url: string,
  readiness: Readiness,
  { known, ended, listening }: Pick<SupervisedCommand, "known" | "ended"> & { listening(): Listening },
  withinMs: number,
  signal: AbortSignal | undefined,
): Promise<NotReady | null> {
  const what = `${url}${readiness.what}`;
  const over = new AbortController();
  const ends = [over.signal, AbortSignal.timeout(withinMs)];
  if (signal !== undefined) {
    ends.push(signal);
  }
  const until = AbortSignal.any(ends);
  const seenReady = readiness
    .wait(url, until, elsewhereOf(listening))
    .then(async (seen): Promise<NotReady | null> => {
      if (seen === null && !until.aborted) {
        // A server may answer before its supervisor has reported which processes serve.
        await Promise.race([known, once(until, "abort")]);
      }
      if (!until.aborted) {
        return seen && { ...seen, message: `${what} cannot be measured: ${seen.message}` };
      }
      const { how, message } = seen ?? STARTING;
      const places = how === "unreached" ? listening().addresses : [];
      const others = places.length === 0 ? "" : `; it listens on ${places.join(", ")}`;
      return { how, message: `${what} was not ready within ${withinMs / 1000} s (${message}${others})` };
    });
  const early = ended.then((end): NotReady => {
    const how = end.error === null ? "ended" : "unstarted";
    return { how, message: `before ${what} answered, its process ${describeEnd(end)}` };
  });
  try {
    return await Promise.race([seenReady, early]);
  } finally {
    over.abort();
  }
}

/** Milliseconds between two looks at where a server listens that is not ready. */
const LOOK_EVERY_MS = 1000;

/**
 * Makes the look at where a server listens instead: once two looks have seen it at its port of another address alone,
 * since it may open one after the other.
 */
function elsewhereOf(listening: () => Listening): () => string | null {
  let lookedAt = performance.now();
  let wasElsewhere = false;
  return () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) {
      return null;
    }
    lookedAt = performance.now();
    const { addresses, isElsewhere } = listening();
    const isSure = wasElsewhere && isElsewhere;
    wasElsewhere = isElsewhere;
    return isSure ? `it listens on ${addresses.join(", ")}` : null;
  };
}
