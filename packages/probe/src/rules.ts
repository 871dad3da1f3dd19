// What a client in k6 takes over as it is: nothing here needs Node.js.
import type { BodyRules, Golden } from "@evenbench/core";
import type { SampleErrorKind } from "@evenbench/results";
import { drawBelow, seededRandom } from "@evenbench/stats/random";

export interface Expectation extends Golden, BodyRules {
  readonly isPage: boolean;
  /** "length" where masks may hide parts of any length; "body" where nothing is the same in two responses. */
  readonly unchecked?: "length" | "body";
}

/** By how many bytes a body's length may differ from the verified one's. */
export function lengthTolerance({
  bytes,
  variation,
  unchecked,
}: Pick<Expectation, "bytes" | "variation" | "unchecked">): number {
  if (unchecked !== undefined) return Number.POSITIVE_INFINITY;
  return variation === null ? 0 : Math.floor(bytes * variation.lengthWithin);
}

type Wrong = { readonly kind: SampleErrorKind; readonly detail: string } | null;

export function wrongHead(expected: Expectation, status: number, encoding: string | null): Wrong {
  if (status !== expected.status)
    return { kind: "status", detail: `HTTP ${status} instead of ${expected.status}` };
  if (encoding === null || encoding === "identity") return null;
  return { kind: "encoding", detail: `content-encoding "${encoding}", though none was accepted` };
}

export function wrongLength(expected: Expectation, received: number): Wrong {
  const within = lengthTolerance(expected);
  if (Math.abs(received - expected.bytes) <= within) return null;
  const allowed = within === 0 ? expected.bytes : `${expected.bytes} ± ${within}`;
  return { kind: "length", detail: `a body of ${received} bytes instead of ${allowed}` };
}

/** Random orders of a round (randomised multiple interleaved trials: Abedi & Brecht, ICPE 2017). */
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

const MOST_IN_A_ROW = 3;
const FREE_ERRORS = 3;
const MOST_SHARE = 0.01;

export class ErrorBudget {
  #exchanges = 0;
  #errors = 0;
  #inARow = 0;
  #lastError = "";

  count(error: Wrong): void {
    this.#exchanges++;
    this.#inARow = error === null ? 0 : this.#inARow + 1;
    if (error === null) return;
    this.#errors++;
    this.#lastError = `${error.kind}: ${error.detail}`;
  }

  /** A fresh instance is not to answer for the errors in a row of the one before. */
  startInstance(): void {
    this.#inARow = 0;
  }

  get exhausted(): string | null {
    if (this.#inARow >= MOST_IN_A_ROW)
      return `${this.#inARow} errors in a row, the last one ${this.#lastError}`;
    if (this.#errors > FREE_ERRORS && this.#errors > this.#exchanges * MOST_SHARE) {
      return this.describe();
    }
    return null;
  }

  get errors(): number {
    return this.#errors;
  }

  describe(): string {
    const noun = this.#errors === 1 ? "error" : "errors";
    return `${this.#errors} ${noun} in ${this.#exchanges} requests, the last one ${this.#lastError}`;
  }
}
