// The client inside of k6, for both scripts: no Node.js here.
import type { EdgeHeader } from "@evenbench/core";
import {
  findRenderMarker,
  INSTANCE_HEADER,
  type InstanceAccount,
  MARKER_WITHIN_BYTES,
  parseInstanceHeader,
} from "@evenbench/core/marks";
import { maskBody } from "@evenbench/core/mask";
import { MEASURED_HEADERS, sentText } from "@evenbench/core/sent";
import type { Expectation } from "@evenbench/probe";
import { cacheSaidIn } from "@evenbench/probe/cache-said";
import { codingOf, mediaType, wrongHead, wrongLength } from "@evenbench/probe/rules";
import { randomBytes, sha256 } from "k6/crypto";
import execution from "k6/execution";
import http, { type RefinedResponse } from "k6/http";
import type { BeginLine, EndLine, LogLine, Observed } from "../lines.ts";
import { VANTAGE_NAME } from "../name.ts";

declare global {
  /** The token, by a user's own first line in the script, where an engine passes no environment on. */
  var EVENBENCH_TOKEN: string | undefined;
}

/** Gives the token of closed targets; "" where there is none. */
export function givenToken(): string {
  return __ENV.EVENBENCH_TOKEN || globalThis.EVENBENCH_TOKEN || "";
}

/**
 * Gives the name of the vantage, by whoever starts the script; on AWS the region is one. Without a name nobody could
 * tell where it was measured: then the script ends, as it does without a token that it needs.
 */
export function givenVantageName(needsToken: boolean): string {
  const name = __ENV.EVENBENCH_VANTAGE || __ENV.AWS_REGION || "";
  if (!VANTAGE_NAME.test(name)) {
    execution.test.abort(
      `EVENBENCH_VANTAGE is "${name}". Set it to this vantage's name: lower-case letters, digits and hyphens, such as eu.`,
    );
  }
  if (needsToken && givenToken() === "") {
    execution.test.abort("EVENBENCH_TOKEN is not set, and the targets are closed. Set it to their token.");
  }
  return name;
}

/** A client that has begun: all its virtual users share it. */
export interface Begun {
  /** The number by which its lines are known. */
  readonly nonce: string;
  /** The start by `Date.now()`. */
  readonly startedAt: number;
}

/** Writes a client's first line. */
export function begin(line: Pick<BeginLine, "plan" | "vantage" | "client" | "part" | "exchanges">): Begun {
  const bytes = Array.from(new Uint8Array(randomBytes(8)));
  const nonce = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const startedAt = Date.now();
  write({ evenbench: "begin", protocol: 1, nonce, startedAt: new Date(startedAt).toISOString(), ...line });
  return { nonce, startedAt };
}

/**
 * Gives the milliseconds since the client began, by the wall clock; one that was set back never gives less than 0.
 */
export function sinceBeginMs({ startedAt }: Begun): number {
  return Math.max(0, Date.now() - startedAt);
}

/** Writes a client's last line. */
export function writeEnd(begun: Begun, counts: Pick<EndLine, "exchanges" | "failed" | "stopped">): void {
  write({ evenbench: "end", nonce: begun.nonce, elapsedMs: sinceBeginMs(begun), ...counts });
}

/** Writes a line of the log. */
export function write(line: LogLine): void {
  console.log(JSON.stringify(line));
}

/** The number of a timeout: https://grafana.com/docs/k6/latest/javascript-api/error-codes/ */
const TIMED_OUT = 1050;

/** A response whose body is bytes. */
type Response = RefinedResponse<"binary">;

/** A request of a virtual user. */
export interface AskedRequest {
  readonly url: string;
  /** Milliseconds after which it counts as failed. */
  readonly timeoutMs: number;
  /** The token of the target; null: it is open. */
  readonly token: string | null;
  /**
   * The target's own name for itself, where its address is written otherwise. Default: as the address says.
   */
  readonly host?: string | undefined;
  /** The case's own request. Default: GET without a body. */
  readonly sends?: Expectation["sends"];
}

/** Bodies of cases' requests, by their text and length: each is made once by a virtual user. */
const sentBodies = new Map<string, string>();

/** Gives the body of a case's request. */
function sentBodyOf(sends: NonNullable<AskedRequest["sends"]>): string {
  const key = `${sends.bytes} ${sends.repeated}`;
  const body = sentBodies.get(key) ?? sentText(sends);
  sentBodies.set(key, body);
  return body;
}

/** Sends a request, and waits for its whole answer. */
export function ask({ url, timeoutMs, token, host, sends }: AskedRequest): Response {
  const body = sends === undefined ? null : sentBodyOf(sends);
  return http.request(sends?.method ?? "GET", url, body, {
    headers: {
      ...MEASURED_HEADERS,
      ...(sends !== undefined && { "content-type": sends.contentType }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(host !== undefined && { host: host.replace(/^https?:\/\//, "") }),
    },
    // Bodies are needed for their length; a jar of its own, since k6 would send cookies back.
    responseType: "binary",
    jar: new http.CookieJar(),
    redirects: 0,
    timeout: timeoutMs,
  });
}

/** The last body of a target that was found to be the expected one, by this virtual user. */
export interface ProvenDigest {
  /** Digest of its bytes as they came; null before there is one. */
  sha256: string | null;
  /** The length of that body. */
  bytes: number;
  /** True if two bodies were right that differ. */
  varies: boolean;
}

/** Makes the record of a target none of whose bodies was found right yet. */
export function noProvenDigest(): ProvenDigest {
  return { sha256: null, bytes: 0, varies: false };
}

/** The terms on which a response is observed. */
export interface ObserveTerms {
  /** The headers of responses that name the place which took the request. */
  readonly edges: readonly EdgeHeader[];
  /** True where a body of the proven one's length is compared by its digest although such bodies vary. */
  readonly withDigest: boolean;
  /** The last body of the same target and request that was right; another one that is takes its place. */
  readonly proven: ProvenDigest;
}

/**
 * Records one response as Evenbench's own client would. k6 takes an interim answer (HTTP 102, 103) for
 * the first byte of the answer, since Go's tracing does, and names no time of the final one.
 */
export function observe(response: Response, expected: Expectation, terms: ObserveTerms): Observed {
  const { timings } = response;
  const hasHead = response.status > 0;
  const body = hasHead ? response.body : null;
  const failure = errorOfResponse(response);
  const seen = failure === null && hasHead ? checkAnswer(response, expected, terms) : UNSEEN;
  const account = instanceAccountOf(response, body, expected.isPage);
  const cacheSaid = cacheSaidOf(response);
  const connectMs = timings.connecting + timings.tls_handshaking;
  return {
    connectMs: connectMs > 0 ? toMicroseconds(connectMs) : null,
    firstByteMs: hasHead ? toMicroseconds(timings.sending + timings.waiting) : null,
    lastByteMs: hasHead && failure === null ? toMicroseconds(timings.duration) : null,
    status: hasHead ? response.status : null,
    bodyBytes: hasHead ? (body?.byteLength ?? 0) : null,
    instanceId: account?.instanceId ?? null,
    served: account?.served ?? null,
    inFlight: account?.inFlight ?? null,
    edge: edgeOf(response, terms.edges),
    protocol: hasHead ? response.proto : null,
    error: failure ?? seen.error,
    isChecked: seen.isChecked,
    ...(cacheSaid !== null && { cacheSaid }),
  };
}

/** Reads what an answer says that a cache did; null where it says nothing. k6 writes names of headers in capitals. */
function cacheSaidOf({ headers }: Pick<Response, "headers">) {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return cacheSaidIn(Object.fromEntries(entries));
}

/** Rounds milliseconds to whole microseconds. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * Gives the error of the connection; null for none. k6's numbers from 1400 on are about the status, which is no such
 * error.
 */
function errorOfResponse({ error, error_code: code }: Response): Observed["error"] {
  if (code === 0 || code >= 1400) {
    return null;
  }
  return { kind: errorKindOf(error, code), detail: `${error || "failed"} (k6 ${code})` };
}

/** The words of a system that gives the client itself no further connection; k6 has no number for it. */
const OWN_LIMIT = /too many open files|cannot assign requested address|no buffer space available/i;

/** Gives the kind of an error of the connection. */
function errorKindOf(error: string, code: number): "timeout" | "client-limit" | "connection" {
  if (code === TIMED_OUT) {
    return "timeout";
  }
  return OWN_LIMIT.test(error) ? "client-limit" : "connection";
}

/** The result of comparing an answer that came whole. */
type AnswerCheck = Pick<Observed, "error" | "isChecked">;

const UNSEEN: AnswerCheck = { error: null, isChecked: false };
const RIGHT: AnswerCheck = { error: null, isChecked: true };

/** Compares an answer with the expected one. */
function checkAnswer(
  response: Response,
  expected: Expectation,
  { withDigest, proven }: ObserveTerms,
): AnswerCheck {
  const body = response.body ?? new ArrayBuffer(0);
  const contentType = mediaType(header(response, "content-type"));
  const wrong =
    wrongHead(expected, response.status, codingOf(header(response, "content-encoding"), null), contentType) ??
    wrongLength(expected, body.byteLength);
  if (wrong !== null) {
    return { error: wrong, isChecked: false };
  }
  if (expected.unchecked === "body" || expected.unchecked === "digest") {
    return RIGHT;
  }
  const asItCame = sha256(body, "hex");
  if (asItCame === proven.sha256) {
    return RIGHT;
  }
  // Most bodies have nothing that is masked. A text of a long one, and masks over it, take this engine a second.
  if (asItCame === expected.sha256) {
    rememberProven(proven, asItCame, body);
    return RIGHT;
  }
  if (proven.varies && proven.bytes === body.byteLength && !withDigest) {
    return UNSEEN;
  }
  const text = latin1(body, body.byteLength);
  const masked = maskBody(text, expected);
  const digest = masked === text ? asItCame : sha256(latin1Bytes(masked), "hex");
  if (digest !== expected.sha256) {
    const detail = `another body (${body.byteLength} bytes; preflight's had ${expected.bytes})`;
    return { error: { kind: "digest", detail }, isChecked: false };
  }
  rememberProven(proven, asItCame, body);
  return RIGHT;
}

/** Keeps a body that was found right; one that differs from the right one before says that bodies vary. */
function rememberProven(proven: ProvenDigest, digest: string, body: ArrayBuffer): void {
  proven.varies = proven.sha256 !== null;
  proven.sha256 = digest;
  proven.bytes = body.byteLength;
}

/** Finds what an instance says of itself, in a header or in a page; null where it says nothing. */
function instanceAccountOf(
  response: Response,
  body: ArrayBuffer | null,
  isPage: boolean,
): InstanceAccount | null {
  const account = parseInstanceHeader(header(response, INSTANCE_HEADER));
  if (account !== null || !isPage || body === null) {
    return account;
  }
  return findRenderMarker(latin1(body, Math.min(body.byteLength, MARKER_WITHIN_BYTES)));
}

/**
 * Finds the place that took a request, as the platform names it: "FRA"; null where the response names none.
 */
function edgeOf(response: Pick<Response, "headers">, edges: readonly EdgeHeader[]): string | null {
  for (const edge of edges) {
    const place = new RegExp(edge.pattern).exec(header(response, edge.header) ?? "")?.[1];
    if (place !== undefined) {
      return place;
    }
  }
  return null;
}

/** Gives a header by its lower-case name; null where it is not there. */
function header({ headers }: Pick<Response, "headers">, name: string): string | null {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? null : (headers[found] ?? null);
}

/** Number of characters that are made at a time: each is an argument. */
const PIECE = 8192;

/** Makes a text of bytes, one character a byte: there is no `Buffer` here. */
function latin1(body: ArrayBuffer, length: number): string {
  const bytes = new Uint8Array(body, 0, length);
  let text = "";
  for (let at = 0; at < length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return text;
}

/** Makes bytes of such a text. */
function latin1Bytes(text: string): ArrayBuffer {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    bytes[at] = text.charCodeAt(at);
  }
  return bytes.buffer;
}
