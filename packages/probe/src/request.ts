// The request that a target is sent: the same in preflight and while it is measured.
import {
  bearer,
  type CaseRequest,
  MEASURED_HEADERS,
  pathAt,
  type RequestSettings,
  type SentRequest,
  sentText,
} from "@evenbench/core";

/** The terms on which a target is asked. */
export interface AskedWith {
  /** The token of the target's callers; null or undefined: it is open. */
  readonly token?: string | null | undefined;
  /** The request to a server that knows nothing of Evenbench. Default: GET without a body. */
  readonly request?: RequestSettings | undefined;
}

/** Bodies of cases' requests, by their text and length: each is made once, and not while a target is timed. */
const sentBodies = new Map<string, Uint8Array>();

/** Makes the request that a case asks with. */
function settingsOf(sends: SentRequest): RequestSettings {
  const key = `${sends.bytes} ${sends.repeated}`;
  const body = sentBodies.get(key) ?? Buffer.from(sentText(sends), "latin1");
  sentBodies.set(key, body);
  return { method: sends.method, body, headers: { "content-type": sends.contentType } };
}

/** The part of a case by which its request is found. */
interface AskedCase {
  readonly path: string;
  readonly sends?: SentRequest | undefined;
  /** Id of a case of servers that know nothing of Evenbench. */
  readonly ownCase?: string | undefined;
  /** The number in its path, where that counts up. Default: 1. */
  readonly number?: number | undefined;
}

/** Gives the request by which a target is asked for a case: the same for preflight and probe. */
export function requestOf(
  { token, request }: AskedWith,
  { path, sends, ownCase, number = 1 }: AskedCase,
): CaseRequest {
  const settings = sends === undefined ? request : settingsOf(sends);
  const ofCase = ownCase === undefined ? undefined : settings?.ofCases?.get(ownCase);
  return requestWith({ token, request: ofCase ?? settings }, pathAt(ofCase?.path ?? path, number));
}

/** Makes the request to a target at a path. */
export function requestWith({ token, request }: AskedWith, path: string): CaseRequest {
  const { method = "GET", body = null, headers = {} } = request ?? {};
  return { path, method, body, headers: { ...MEASURED_HEADERS, ...bearer(token), ...headers } };
}
