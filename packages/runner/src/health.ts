import type { SampleErrorKind } from "@evenbench/results";

const MOST_IN_A_ROW = 3;
const FREE_ERRORS = 3;
const MOST_SHARE = 0.01;

export class ErrorBudget {
  #exchanges = 0;
  #errors = 0;
  #inARow = 0;
  #lastError = "";

  count(error: { readonly kind: SampleErrorKind; readonly detail: string } | null): void {
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
