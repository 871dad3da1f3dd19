// The request that a target is sent: the same in preflight and while it is measured.
import { bearer, type RequestSettings, type SentRequest, sentText } from "@evenbench/core";
import { MEASURED_HEADERS } from "@evenbench/core/http";

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
export function settingsOf(sends: SentRequest): RequestSettings {
  const key = `${sends.bytes} ${sends.repeated}`;
  const body = sentBodies.get(key) ?? Buffer.from(sentText(sends), "latin1");
  sentBodies.set(key, body);
  return { method: sends.method, body, headers: { "content-type": sends.contentType } };
}

/** Gives the path that a target is sent for a case: that of its record, with the values that no record has. */
export function sentPath(path: string, request: RequestSettings | undefined): string {
  return request?.secretPaths?.[path] ?? path;
}

/** Makes the request to a target: the same for preflight and probe. */
export function requestWith({ token, request }: AskedWith): RequestSettings {
  const { method = "GET", body = null, headers = {} } = request ?? {};
  return { method, body, headers: { ...MEASURED_HEADERS, ...bearer(token), ...headers } };
}
