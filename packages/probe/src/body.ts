import { createHash } from "node:crypto";
import { type BodyRules, maskBody } from "@evenbench/core";
import { type Expectation, mostBytes } from "./rules.ts";

/**
 * The body of a probe's last answer, beside the last one whose digest was right. Both lie in memory that is used again
 * for each answer: new memory for each body would bring full collections into the times of targets.
 */
export class ReceivedBody {
  /** Bytes of the last answer that were kept; those beyond what is expected are only counted. */
  #received = Buffer.alloc(0);
  #receivedBytes = 0;
  #proven = Buffer.alloc(0);
  /** Length of the proven body; null before there is one. */
  #provenBytes: number | null = null;
  /** The digest that the proven body had; another expectation proves anew. */
  #provenSha256 = "";
  /** Whether two bodies were right that differ, as where a time stamp is masked. */
  #varies = false;

  /** Forgets the answer before, and makes room for one of the expected length. */
  begin({ bytes }: Expectation): void {
    this.#receivedBytes = 0;
    this.#growTo(bytes);
  }

  /** Keeps a part of the body, which may be overwritten afterwards. */
  take(part: Buffer, expected: Expectation): void {
    const length = this.#receivedBytes + part.length;
    if (length > mostBytes(expected)) return;
    this.#growTo(length);
    part.copy(this.#received, this.#receivedBytes);
    this.#receivedBytes = length;
  }

  /**
   * Compares the last answer with the proven one, byte by byte, and where it differs by its digest. Only where bodies
   * that differ were right before, and this one has the same length, is the digest left out, unless it is asked for.
   *
   * @returns whether it is the expected body; null where that was not found out.
   */
  isExpected(expected: Expectation, withDigest: boolean): boolean | null {
    const received = this.#received.subarray(0, this.#receivedBytes);
    const isProven = this.#provenBytes !== null && this.#provenSha256 === expected.sha256;
    if (isProven && received.equals(this.#proven.subarray(0, this.#provenBytes ?? 0))) return true;
    if (isProven && this.#varies && !withDigest && this.#provenBytes === this.#receivedBytes) return null;
    if (maskedDigest(received, expected) !== expected.sha256) return false;
    this.#varies = isProven;
    const spare = this.#proven;
    this.#proven = this.#received;
    this.#provenBytes = this.#receivedBytes;
    this.#provenSha256 = expected.sha256;
    this.#received = spare;
    return true;
  }

  /**
   * From which byte the last answer, once masked, differs from the proven one; null where none was proven. Not what
   * stands there: it may be a secret, and records are published.
   */
  differsFrom(rules: BodyRules): number | null {
    if (this.#provenBytes === null) return null;
    const came = maskBody(this.#received.toString("latin1", 0, this.#receivedBytes), rules);
    const wanted = maskBody(this.#proven.toString("latin1", 0, this.#provenBytes), rules);
    let offset = 0;
    while (offset < came.length && came[offset] === wanted[offset]) offset += 1;
    return offset;
  }

  #growTo(bytes: number): void {
    if (bytes <= this.#received.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.#received.length));
    this.#received.copy(larger, 0, 0, this.#receivedBytes);
    this.#received = larger;
  }
}

export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskBody(text, rules), "latin1").digest("hex");
}
