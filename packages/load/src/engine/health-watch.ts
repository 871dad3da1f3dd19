import type { Exchange } from "@evenbench/probe";

/** A stage in which nothing has succeeded for so long, and in so many exchanges, is given up. */
const MOST_SILENCE_MS = 3000;
const LEAST_ERRORS = 5;

/**
 * Sees whether a subject still answers. Under load single errors are results; nothing but errors is the
 * end.
 */
export class HealthWatch {
  readonly #over = new AbortController();
  readonly signal: AbortSignal;
  failure: string | null = null;
  readonly #now: () => number;
  #goodAt: number;
  #errorsSince = 0;

  constructor(outer: AbortSignal, now = () => performance.now()) {
    this.#now = now;
    this.#goodAt = now();
    this.signal = AbortSignal.any([outer, this.#over.signal]);
  }

  saw({ error }: Pick<Exchange, "error">): void {
    const now = this.#now();
    if (error === null) {
      this.#goodAt = now;
      this.#errorsSince = 0;
      return;
    }
    this.#errorsSince += 1;
    if (this.#errorsSince < LEAST_ERRORS || now - this.#goodAt < MOST_SILENCE_MS) return;
    this.failure ??= `nothing but errors for ${MOST_SILENCE_MS / 1000} s, the last one ${error.kind}: ${error.detail}`;
    this.#over.abort();
  }
}
