import { createHash } from "node:crypto";
import { type Golden, type Mask, maskBody } from "@evenbench/core";

/** The verified response that every exchange is held against. */
export interface Expectation extends Golden {
  readonly masks: readonly Mask[];
}

/**
 * SHA-256 of a masked body, in hexadecimal.
 *
 * The body is masked as latin1 (one character a byte): a text's bytes come out as they went in, and so do those of a
 * body that is no valid UTF-8, where decoding would hide differences. Masks are therefore to be written in ASCII.
 */
export function maskedDigest(body: Uint8Array, masks: readonly Mask[] = []): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskBody(text, masks), "latin1").digest("hex");
}
