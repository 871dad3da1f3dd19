import type { InstanceAccount } from "@evenbench/core/instance-header";
import { maskBody } from "@evenbench/core/mask";
import { findRenderMarker } from "@evenbench/core/render-marker";
import { sha256 } from "k6/crypto";
import type { PlannedRequest } from "../protocol/plan.ts";

/** A page says who rendered it at its start. */
const MARKER_WITHIN_BYTES = 16_384;
/** As many arguments as a call takes without risk. */
const PIECE = 8192;

/** Whether a body is the expected one once masked, as the probe's `maskedDigest` tells. */
export function digestOf(body: ArrayBuffer, expected: PlannedRequest["expected"]): "same" | "other" {
  const text = latin1(body, body.byteLength);
  const masked = maskBody(text, expected);
  const digest = sha256(masked === text ? body : bytesOf(masked), "hex");
  return digest === expected.sha256 ? "same" : "other";
}

/** What a page says of the instance that rendered it; null where it says nothing. */
export function renderAccount(body: ArrayBuffer): InstanceAccount | null {
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
