import { createHash } from "node:crypto";
import { type BodyRules, type Golden, maskBody } from "@evenbench/core";

/** The verified response that every exchange is held against. */
export interface Expectation extends Golden, BodyRules {
  /** Whether the body says which instance rendered it, by core's `renderMarker`. */
  readonly isPage: boolean;
  /**
   * What is not held against a body: "length", where masks may hide parts of any length; "body", where
   * nothing of it is the same from one response to the next.
   */
  readonly unchecked?: "length" | "body";
}

export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskBody(text, rules), "latin1").digest("hex");
}
