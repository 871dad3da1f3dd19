// What the probe and the client in k6 share: rules for answers, the random order of rounds, and the count of
// errors. Nothing here needs Node.js.
import type { BodyRules, Golden, SentRequest } from "@evenbench/core";
import type { SampleErrorKind } from "@evenbench/results";
import { drawBelow, seededRandom } from "@evenbench/stats/random";

/** The answer that a target has to give, and what it is the answer to. */
export interface Expectation extends Golden, BodyRules {
  /** True where the body begins with a render marker. */
  readonly isPage: boolean;
  /** The request that has this answer. Default: the target's usual one, a GET without a body where it has no other. */
  readonly sends?: SentRequest;
  /** Id of its case where it is one of servers that know nothing of Evenbench: these may be asked for each in another way. */
  readonly ownCase?: string;
  /** The number in its path, where that counts up. Default: 1. */
  readonly number?: number;
  /**
   * The part that is not compared. "length": masks may hide parts of any length, and digests show the rest.
   * "digest": it is not known. "body": neither, since no two bodies are the same. Default: all is compared.
   */
  readonly unchecked?: "length" | "digest" | "body";
  /** True where answers had several content types in preflight, so that theirs is not compared. Default: no. */
  readonly variesInType?: boolean;
  /**
   * True where the first answer of a fresh start may be another one, so that its body is not compared.
   * Default: no.
   */
  readonly isFirstOther?: boolean;
}

/** Gives the expectation of the first answer of a fresh start. */
export function firstExpectation(expected: Expectation): Expectation {
  return expected.isFirstOther === true ? { ...expected, unchecked: "body" } : expected;
}

/** Reads a content type without its parameters, in lower case; null where there is none. */
export function mediaType(header: string | null | undefined): string | null {
  return header?.split(";")[0]?.trim().toLowerCase() ?? null;
}

/**
 * Bounds within which masks may make a body longer: this many times the verified one, and this many bytes.
 */
const MASKED_GROWTH = { factor: 4, bytes: 65_536 };

/** Gives the number of bytes by which a body's length may differ from the verified one's. */
function lengthTolerance({ bytes, variation, unchecked }: Expectation): number {
  if (unchecked === "body") {
    return Number.POSITIVE_INFINITY;
  }
  if (unchecked === "length") {
    return MASKED_GROWTH.factor * bytes + MASKED_GROWTH.bytes;
  }
  return variation === null ? 0 : Math.floor(bytes * variation.lengthWithin);
}

/** Gives how many bytes of a body are kept to be compared: longer ones are wrong by their length, or not compared. */
export function mostBytes(expected: Expectation): number {
  return expected.unchecked === "body" ? 0 : expected.bytes + lengthTolerance(expected);
}

/**
 * Gives what an answer's bytes are coded by: its content encoding, else a transfer coding beside chunks; null for nothing.
 */
export function codingOf(contentEncoding: string | null, transferEncoding: string | null): string | null {
  const codings = [contentEncoding, transferEncoding].map((text) => text?.toLowerCase() ?? null);
  return codings.find((coding) => coding !== null && !UNCODED.includes(coding)) ?? null;
}

/** Values of both headers by which nothing is coded. */
const UNCODED = ["", "identity", "chunked"];

/** The fault of an answer; null where there is none. */
export type Wrong = { readonly kind: SampleErrorKind; readonly detail: string } | null;

/** Checks the head of an answer. @param coding as `codingOf` gives it. @param contentType as `mediaType` gives it. */
export function wrongHead(
  expected: Expectation,
  status: number,
  coding: string | null,
  contentType: string | null,
): Wrong {
  if (status !== expected.status) {
    return { kind: "status", detail: `HTTP ${status} instead of ${expected.status}` };
  }
  if (coding !== null) {
    return { kind: "encoding", detail: `encoded by "${coding}", though nothing was accepted` };
  }
  if (contentType === expected.contentType || expected.variesInType === true) {
    return null;
  }
  const instead = expected.contentType ?? "none";
  return { kind: "content-type", detail: `content type ${contentType ?? "none"} instead of ${instead}` };
}

/** Checks the length of a body, in bytes. */
export function wrongLength(expected: Expectation, received: number): Wrong {
  const within = lengthTolerance(expected);
  if (Math.abs(received - expected.bytes) <= within) {
    return null;
  }
  const allowed = within === 0 ? expected.bytes : `${expected.bytes} ± ${within}`;
  return { kind: "length", detail: `a body of ${received} bytes instead of ${allowed}` };
}

/**
 * Turns exchanges that were not checked into errors where a later answer was wrong. Where another answer than
 * in preflight was found, nobody knows how many were so of those that were not checked since the last one
 * that was right: these become errors.
 *
 * @param exchanges of one target, in the order in which they were over.
 * @param last what was wrong with an answer behind them all; null where it was right, or nobody asked.
 */
export function voidUnchecked(
  exchanges: readonly { error: Wrong; readonly isChecked: boolean }[],
  last: Wrong,
): void {
  let cause = isWrongAnswer(last) ? last : null;
  for (const exchange of exchanges.toReversed()) {
    if (isWrongAnswer(exchange.error)) {
      cause = exchange.error;
    } else if (exchange.isChecked) {
      cause = null;
    } else if (cause !== null && exchange.error === null) {
      const detail = `not checked, and a later answer was wrong: ${cause.detail}`;
      exchange.error = { kind: cause.kind, detail };
    }
  }
}

/** Kinds of errors that say that an answer came. */
const OF_ANSWERS: readonly SampleErrorKind[] = ["status", "encoding", "content-type", "length", "digest"];

/** Tells whether an answer came, and was another one than in preflight. */
function isWrongAnswer(error: Wrong): error is NonNullable<Wrong> {
  return error !== null && OF_ANSWERS.includes(error.kind);
}

/**
 * Returns a function that gives the items in a new random order each time: the orders of rounds (randomised multiple
 * interleaved trials: Abedi & Brecht, ICPE 2017).
 */
export function interleave<T>(items: readonly T[], seed: number): () => T[] {
  const random = seededRandom(seed);
  return () => {
    const order = [...items];
    // Fisher-Yates, as in Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2P.
    for (let last = order.length - 1; last > 0; last--) {
      const chosen = drawBelow(random, last + 1);
      [order[last], order[chosen]] = [order[chosen] as T, order[last] as T];
    }
    return order;
  };
}

/** Length of a body in bytes up to which each one is compared under load: that costs less than its request. */
const COMPARED_BYTES = 65_536;

/** Gives the share of bodies that are compared under load where no two are the same, from 0 to 1. */
export function comparedShare({ bytes }: Pick<Golden, "bytes">): number {
  return Math.min(1, COMPARED_BYTES / Math.max(1, bytes));
}

/** Draws whether a body is compared under load. Nothing that a target can see foretells it. */
export function drawsComparison(expected: Pick<Golden, "bytes">): boolean {
  return Math.random() < comparedShare(expected);
}

/** The fault of a request that was sent a second time: a few are chance, and more are how the target works. */
const RESENT: NonNullable<Wrong> = {
  kind: "connection",
  detail: "the target ended its kept connection as a request was sent, which was sent again",
};

/** Gives what an exchange counts as in an `ErrorBudget`: its error, or that it was sent again. */
export function faultOf({
  error,
  resent,
}: {
  readonly error: Wrong;
  readonly resent?: true | undefined;
}): Wrong {
  return error ?? (resent === true ? RESENT : null);
}

/** Number of errors in a row that end a target. */
const MAX_ERRORS_IN_A_ROW = 3;
/** Number of errors that never end a target unless they come in a row. */
const FREE_ERRORS = 3;
/** Share of the checked answers that may be errors. */
const MAX_ERROR_SHARE = 0.01;

/** Tells whether errors are too many for a measurement: more than 3, and more than 1 % of the answers. */
export function areTooMany(errors: number, answers: number): boolean {
  return errors > FREE_ERRORS && errors > answers * MAX_ERROR_SHARE;
}

/**
 * Counts the errors of a target, and says when there are too many: 3 in a row, or more than 3 that are more
 * than 1 % of its checked answers. Runs, loads and clients of vantages all use it.
 */
export class ErrorBudget {
  #exchanges = 0;
  #errors = 0;
  #inARow = 0;
  #lastError = "";

  /**
   * Counts an answer.
   *
   * @param isChecked whether its body was compared, too: what was not says nothing in its target's favour.
   */
  count(error: Wrong, isChecked = true): void {
    if (error === null && !isChecked) {
      return;
    }
    this.#exchanges++;
    this.#inARow = error === null ? 0 : this.#inARow + 1;
    if (error === null) {
      return;
    }
    this.#errors++;
    this.#lastError = `${error.kind}: ${error.detail}`;
  }

  /** Begins the row of errors anew: a fresh instance is not to answer for those of the one before. */
  startInstance(): void {
    this.#inARow = 0;
  }

  /** Says why there are too many errors; null where there are not. */
  get exhausted(): string | null {
    if (this.#inARow >= MAX_ERRORS_IN_A_ROW) {
      return `${this.#inARow} errors in a row, the last one ${this.#lastError}`;
    }
    return areTooMany(this.#errors, this.#exchanges) ? this.describe() : null;
  }

  /** The number of errors so far. */
  get errors(): number {
    return this.#errors;
  }

  /** Says in words how many errors there are, and the last one. */
  describe(): string {
    const noun = this.#errors === 1 ? "error" : "errors";
    return `${this.#errors} ${noun} in ${this.#exchanges} checked requests, the last one ${this.#lastError}`;
  }
}
