import { get } from "node:http";
import { bearer } from "@evenbench/core";

const POLL_EVERY_MS = 5;
const ANSWER_WITHIN_MS = 5000;

/**
 * Polls `<url>/identity` until it answers 200, or `signal` aborts.
 *
 * @param token the server's; null where it has none and is to say so with 503; undefined where it is open.
 * @returns null when ready, else what the last attempt saw ("HTTP 500", "ECONNREFUSED", "it accepts
 *   connections, and does not answer").
 */
export function waitForIdentity(
  url: string,
  signal: AbortSignal,
  token?: string | null,
): Promise<string | null> {
  const expected = token === null ? 503 : 200;
  return waitForAnswer(`${url}/identity`, signal, bearer(token), (status) => status === expected);
}

/**
 * Asks for a URL again and again until the status of an answer will do, or `signal` aborts.
 *
 * @returns null when one did, else what the last attempt saw ("HTTP 500", "ECONNREFUSED", "it accepts
 *   connections, and does not answer").
 */
export async function waitForAnswer(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
  willDo: (status: number) => boolean,
): Promise<string | null> {
  let [seen, hasAnswered, isConnected] = ["no answer yet", false, false];
  const onConnect = (): void => {
    isConnected = true;
  };
  while (!signal.aborted) {
    isConnected = false;
    try {
      const status = await statusOf(url, signal, headers, onConnect);
      if (willDo(status)) return null;
      seen = `HTTP ${status}`;
      hasAnswered = true;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // The last attempt is cut off in the midst of it, and says nothing of a server that answers.
      if (code !== "ABORT_ERR") seen = code ?? message;
      else if (isConnected && !(signal.aborted && hasAnswered))
        seen = "it accepts connections, and does not answer";
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return seen;
}

/** A connection of its own for each attempt: nothing is left in a pool that could count as warm later. */
function statusOf(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
  onConnect: () => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const request = get(url, { agent: false, headers, signal: within }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
      response.once("error", reject);
    });
    request.once("error", reject);
    request.once("socket", (socket) => socket.once("connect", onConnect));
  });
}
