import { createHash } from "node:crypto";
import type { BodyRules } from "@evenbench/core";
import { maskInTime } from "./mask-in-time.ts";
import { type Expectation, mostBytes } from "./rules.ts";

/** The first body that had the digest of an expectation. */
interface ProvenBody {
  readonly bytes: Buffer;
  /** Length of the last right body: another one than that of `bytes` where they vary. */
  lastBytes: number;
  /** True where a right body differed from it, as where a time stamp is masked. */
  varies: boolean;
}

/** Proven bodies, for all connections together: each would keep a copy otherwise. */
const provenBodies = new WeakMap<Expectation, ProvenBody>();

/**
 * The body of a probe's last answer. What equals the proven body is compared as it comes, and not kept; what differs is
 * kept in memory that is used again: new memory for each body would bring full collections into the times of targets.
 */
export class ReceivedBody {
  #kept = Buffer.alloc(0);
  /** Bytes of the last answer; without those beyond what is expected. */
  #length = 0;
  /** Proven bytes that the last answer began with; null where nothing is proven, or it differs. */
  #sameAs: Buffer | null = null;

  /** Begins with an answer, and forgets the one before. */
  begin(expected: Expectation): void {
    this.#length = 0;
    this.#sameAs = provenBodies.get(expected)?.bytes ?? null;
  }

  /** Takes a part of the body, which may be overwritten afterwards. */
  take(part: Buffer, expected: Expectation): void {
    const length = this.#length + part.length;
    if (length > mostBytes(expected)) {
      return;
    }
    const same = this.#sameAs;
    if (same?.subarray(this.#length, length).equals(part)) {
      this.#length = length;
      return;
    }
    this.#growTo(Math.max(length, expected.bytes));
    same?.copy(this.#kept, 0, 0, this.#length);
    this.#sameAs = null;
    part.copy(this.#kept, this.#length);
    this.#length = length;
  }

  /**
   * Compares the last answer with the proven one, and where it differs by its digest. Only where right bodies differ,
   * and this one has the length of the last of them, is the digest left out, unless it is asked for.
   *
   * @returns whether it is the expected body; null where that was not found out.
   */
  isExpected(expected: Expectation, withDigest: boolean): boolean | null {
    const received = this.#received;
    const proven = provenBodies.get(expected);
    if (proven !== undefined && received.equals(proven.bytes)) {
      return true;
    }
    if (proven?.varies && !withDigest && proven.lastBytes === received.length) {
      return null;
    }
    if (maskedDigest(received, expected) !== expected.sha256) {
      return false;
    }
    if (proven === undefined) {
      provenBodies.set(expected, { bytes: Buffer.from(received), lastBytes: received.length, varies: false });
      return true;
    }
    proven.varies = true;
    proven.lastBytes = received.length;
    return true;
  }

  /**
   * Finds the byte from which on the last answer, once masked, differs from the proven one; null where none
   * was proven. It does not give what stands there: that may be a secret, and records are published.
   */
  differsFrom(expected: Expectation): number | null {
    const proven = provenBodies.get(expected);
    if (proven === undefined) {
      return null;
    }
    const came = maskInTime(this.#received.toString("latin1"), expected);
    const wanted = maskInTime(proven.bytes.toString("latin1"), expected);
    let offset = 0;
    while (offset < came.length && came[offset] === wanted[offset]) {
      offset += 1;
    }
    return offset;
  }

  /** The last answer's body, as far as it was kept. */
  get #received(): Buffer {
    return (this.#sameAs ?? this.#kept).subarray(0, this.#length);
  }

  #growTo(bytes: number): void {
    if (bytes <= this.#kept.length) {
      return;
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.#kept.length));
    this.#kept.copy(larger, 0, 0, this.#length);
    this.#kept = larger;
  }
}

/**
 * Gives the SHA-256 of a masked body, in hexadecimal digits.
 *
 * @throws {SlowMaskError} when a mask takes too long on it.
 */
export function maskedDigest(body: Uint8Array, rules?: BodyRules): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1");
  return createHash("sha256").update(maskInTime(text, rules), "latin1").digest("hex");
}
