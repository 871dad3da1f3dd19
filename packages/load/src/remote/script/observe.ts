import {
  findRenderMarker,
  INSTANCE_HEADER,
  type InstanceAccount,
  parseInstanceHeader,
} from "@evenbench/core/marks";
import { maskBody } from "@evenbench/core/mask";
import { lengthTolerance } from "@evenbench/probe/rules";
import { sha256 } from "k6/crypto";
import http, { type RefinedResponse } from "k6/http";
import type { Observed } from "../lines.ts";
import type { PlannedRequest } from "../plan.ts";

/** https://grafana.com/docs/k6/latest/javascript-api/error-codes/ */
const TIMED_OUT = 1050;

type Response = RefinedResponse<"binary">;
export function ask(url: string, timeoutMs: number, more: Readonly<Record<string, string>> = {}): Response {
  return http.get(url, {
    headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": "evenbench", ...more },
    // Bodies are needed for their length; a jar of its own, since k6 would send cookies back.
    responseType: "binary",
    jar: new http.CookieJar(),
    redirects: 0,
    timeout: timeoutMs,
  });
}

export function observe(
  response: Response,
  expected: PlannedRequest["expected"],
  withDigest: boolean,
): Observed {
  const { timings, status } = response;
  const hasHead = status > 0;
  const body = hasHead && response.body !== null ? response.body : null;
  const failure = failureOf(response);
  const account = accountOf(response, body, expected.isPage);
  const connectMs = timings.connecting + timings.tls_handshaking;
  const error = failure ?? (hasHead ? mismatch(response, body?.byteLength ?? 0, expected) : null);
  const isChecked = error === null && withDigest && expected.unchecked !== "body";
  const isOther = isChecked && body !== null && digestOf(body, expected) !== expected.sha256;
  return {
    connectMs: connectMs > 0 ? toMicroseconds(connectMs) : null,
    firstByteMs: hasHead ? toMicroseconds(timings.sending + timings.waiting) : null,
    lastByteMs: hasHead && failure === null ? toMicroseconds(timings.duration) : null,
    status: hasHead ? status : null,
    bodyBytes: hasHead ? (body?.byteLength ?? 0) : null,
    instanceId: account?.instanceId ?? null,
    served: account?.served ?? null,
    inFlight: account?.inFlight ?? null,
    edge: edgeOf(response),
    protocol: hasHead ? response.proto : null,
    error: isOther ? { kind: "digest", detail: `masked body is not ${expected.sha256}` } : error,
  };
}

export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What went wrong on the wire. Numbers from 1400 on are about the status, which is not that. */
function failureOf({ error, error_code: code }: Response): Observed["error"] {
  if (code === 0 || code >= 1400) return null;
  return { kind: code === TIMED_OUT ? "timeout" : "connection", detail: `${error || "failed"} (k6 ${code})` };
}

function mismatch(
  response: Response,
  bytes: number,
  expected: PlannedRequest["expected"],
): Observed["error"] {
  if (response.status !== expected.status) {
    return { kind: "status", detail: `HTTP ${response.status} instead of ${expected.status}` };
  }
  const encoding = header(response, "content-encoding");
  if (encoding !== null && encoding !== "identity") {
    return { kind: "encoding", detail: `content-encoding "${encoding}", though none was accepted` };
  }
  const within = lengthTolerance(expected);
  if (Math.abs(bytes - expected.bytes) <= within) return null;
  const asked = within === 0 ? expected.bytes : `${expected.bytes} ± ${within}`;
  return { kind: "length", detail: `a body of ${bytes} bytes instead of ${asked}` };
}

function accountOf(response: Response, body: ArrayBuffer | null, isPage: boolean): InstanceAccount | null {
  const account = parseInstanceHeader(header(response, INSTANCE_HEADER));
  return account === null && isPage && body !== null ? renderAccount(body) : account;
}

/** "8f…-FRA" of Cloudflare; "fra1::iad1::…" of Vercel, whose first region is the edge. */
function edgeOf(response: Response): string | null {
  const ray = /-([A-Z]{3})$/.exec(header(response, "cf-ray") ?? "");
  return ray?.[1] ?? /^([a-z]{3}\d)::/.exec(header(response, "x-vercel-id") ?? "")?.[1] ?? null;
}

function header({ headers }: Response, name: string): string | null {
  const found = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return found === undefined ? null : (headers[found] ?? null);
}

const MARKER_WITHIN_BYTES = 16_384;
const PIECE = 8192;

function digestOf(body: ArrayBuffer, expected: PlannedRequest["expected"]): string {
  const text = latin1(body, body.byteLength);
  const masked = maskBody(text, expected);
  return sha256(masked === text ? body : bytesOf(masked), "hex");
}

function renderAccount(body: ArrayBuffer): InstanceAccount | null {
  return findRenderMarker(latin1(body, Math.min(body.byteLength, MARKER_WITHIN_BYTES)));
}

/** One character a byte: there is no `Buffer` here. */
function latin1(body: ArrayBuffer, length: number): string {
  const bytes = new Uint8Array(body, 0, length);
  let text = "";
  for (let at = 0; at < length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  }
  return text;
}

function bytesOf(text: string): ArrayBuffer {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes.buffer;
}
