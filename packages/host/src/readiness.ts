// When a server that was started is ready to be measured.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { bearer, MEASURED_HEADERS, recordedPath } from "@evenbench/core";
import { ask, describeWireError, type HttpRequest, NoAnswerError } from "@evenbench/core/http";

/** Why a server is not ready. */
export interface NotReady {
  /**
   * "unstarted": its process could not be; "ended": its process did; "unreached": nothing listens at its address;
   * "unanswered": a connection gets no whole answer; "unusable": no client takes what it answers; "refusing": its status
   * shows it; "starting": it answers, and its processes are not all there; "taken": another process listens there, too.
   */
  readonly how:
    | "unstarted"
    | "ended"
    | "unreached"
    | "unanswered"
    | "unusable"
    | "refusing"
    | "starting"
    | "taken";
  /** What was seen last, without a full stop. */
  readonly message: string;
}

/** A way to see that a server is ready. */
export interface Readiness {
  /** The path that has to answer, behind the origin, without values that may be secrets: "/identity". */
  readonly what: string;
  /** True where others than the server's own processes may answer, as a container's do. Default: false. */
  readonly isByOthers?: true;
  /**
   * Waits until the server is ready. @returns null then; what was seen last where the signal aborts before, or what was
   * seen can only stay.
   */
  wait(url: string, ...end: WaitsEnd): Promise<NotReady | null>;
}

/** What ends the wait for a server: a signal, and a look at where else it listens, taken while nothing listens there. */
type WaitsEnd = readonly [signal: AbortSignal, elsewhere?: () => string | null];

/** Milliseconds between two attempts to reach a server that starts. */
const POLL_EVERY_MS = 5;
/** Milliseconds that the first attempt may take; one behind a late one may take twice as long. */
const ATTEMPT_WITHIN_MS = 5000;

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
    wait: (url, ...end) => waitForAnswer(url + what, asked, (status) => status === wanted, ...end),
  };
}

/** Makes the readiness of an app that nobody here wrote: whatever it answers at a path, it is up. */
export function answers(path: string): Readiness {
  return {
    what: recordedPath(path),
    wait: (url, ...end) => waitForAnswer(url + path, { headers: {} }, () => true, ...end),
  };
}

/**
 * Says when a server is ready that is asked for nothing before it is measured, or does not speak HTTP: when
 * it takes connections.
 */
export function takesConnections(): Readiness {
  return { what: "", wait: waitForConnection };
}

async function waitForConnection(url: string, ...[signal, elsewhere]: WaitsEnd): Promise<NotReady | null> {
  const { hostname, port } = new URL(url);
  let message = "nothing listens there";
  let other: string | null = null;
  while (!signal.aborted && other === null) {
    const socket = connect({ host: hostname, port: Number(port), signal });
    try {
      await once(socket, "connect");
      return null;
    } catch (error) {
      if (!signal.aborted) {
        message = describeWireError(error);
      }
    } finally {
      socket.destroy();
    }
    other = elsewhere?.() ?? null;
    await delay(POLL_EVERY_MS);
  }
  return { how: "unreached", message: other ?? message };
}

/** How a server is asked until it is ready. */
interface ReadinessRequest extends Pick<HttpRequest, "method" | "headers" | "body"> {
  /** Milliseconds between an answer that does not show it and the next request. Default: those of a free port. */
  readonly heardEveryMs?: number;
  /** Milliseconds that the first attempt may take. Default: 5,000. */
  readonly answerWithinMs?: number;
}

/**
 * Asks until an answer shows that a server is ready, the signal aborts, or what answers is none that a client takes.
 *
 * @param isReady whether an answer of that status shows it.
 * @returns null when it is ready, else what was seen last.
 */
export async function waitForAnswer(
  url: string,
  { heardEveryMs = POLL_EVERY_MS, answerWithinMs = ATTEMPT_WITHIN_MS, ...asked }: ReadinessRequest,
  isReady: (status: number) => boolean,
  ...[signal, elsewhere]: WaitsEnd
): Promise<NotReady | null> {
  let seen: NotReady = { how: "unreached", message: "no answer yet" };
  // A connection is kept, as a measured one is; but nothing is left in a pool that could count as warm later.
  const headers = { ...MEASURED_HEADERS, connection: "keep-alive", ...asked.headers };
  const request = { ...asked, headers, agent: false, signal } as const;
  let timeoutMs = answerWithinMs;
  while (!signal.aborted) {
    try {
      const { status } = await ask(url, { ...request, timeoutMs });
      if (isReady(status)) {
        return null;
      }
      seen = { how: "refusing", message: `HTTP ${status}` };
    } catch (error) {
      if (!(error instanceof NoAnswerError)) {
        throw error;
      }
      const { how, isConnected, message } = error;
      if (how === "unusable") {
        return { how, message };
      }
      if (how === "late") {
        timeoutMs *= 2;
      }
      // The last attempt is cut off midway, and says nothing of a server that was heard.
      if (how !== "aborted" || (isConnected && seen.how === "unreached")) {
        seen = { how: isConnected ? "unanswered" : "unreached", message };
      }
    }
    const other = seen.how === "unreached" ? elsewhere?.() : null;
    if (other != null) {
      return { how: "unreached", message: other };
    }
    const pauseMs = seen.how === "unreached" ? POLL_EVERY_MS : heardEveryMs;
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
  return seen;
}
