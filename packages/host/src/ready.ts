import { bearer } from "@evenbench/core";
import { ask, NoAnswerError } from "@evenbench/core/http";

const POLL_EVERY_MS = 5;
const ANSWER_WITHIN_MS = 5000;

export function waitForIdentity(
  url: string,
  signal: AbortSignal,
  token?: string | null,
): Promise<string | null> {
  const expected = token === null ? 503 : 200;
  return waitForAnswer(`${url}/identity`, signal, bearer(token), (status) => status === expected);
}

/** Asks for a URL again and again until the status of an answer will do, or `signal` aborts. */
export async function waitForAnswer(
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
  willDo: (status: number) => boolean,
): Promise<string | null> {
  let [seen, hasSpoken] = ["no answer yet", false];
  // A connection of its own for each attempt: nothing is left in a pool that could count as warm later.
  const request = { headers, agent: false, timeoutMs: ANSWER_WITHIN_MS, signal } as const;
  while (!signal.aborted) {
    try {
      const { status } = await ask(url, request);
      if (willDo(status)) return null;
      [seen, hasSpoken] = [`HTTP ${status}`, true];
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      const { how, isConnected, message } = error;
      // The last attempt is cut off in the midst of it, and says nothing of a server that was heard.
      if (how !== "aborted") [seen, hasSpoken] = [message, isConnected];
      else if (isConnected && !hasSpoken) seen = message;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return seen;
}
