import { createHash } from "node:crypto";
import { type BodyRules, type Golden, maskBody } from "@evenbench/core";

export interface Expectation extends Golden, BodyRules {
  readonly isPage: boolean;
  /** "length" where masks may hide parts of any length; "body" where nothing is the same in two responses. */
  readonly unchecked?: "length" | "body";
}

export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskBody(text, rules), "latin1").digest("hex");
}
