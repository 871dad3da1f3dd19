import type { BeginLine, EndLine, ExchangeLine } from "../protocol/index.ts";

export class ClientLog {
  readonly begin: BeginLine;
  readonly file: string;
  /** Its place among all clients, from 0. */
  readonly index: number;
  #end: EndLine | null = null;
  /** The number that its next exchange must have. */
  #next = 0;
  #logged = 0;
  #failed = 0;
  #gaps = 0;
  #twice: string | null = null;

  constructor(begin: BeginLine, file: string, index: number) {
    this.begin = begin;
    this.file = file;
    this.index = index;
  }

  get name(): string {
    return `${this.begin.vantage}/${this.begin.client}`;
  }

  get logged(): number {
    return this.#logged;
  }

  get end(): EndLine | null {
    return this.#end;
  }

  get twice(): string | null {
    return this.#twice;
  }

  /** @returns whether the line is new. */
  exchange({ seq, error }: ExchangeLine, file: string): boolean {
    if (seq < this.#next || this.#end !== null) {
      this.#twice ??= file;
      return false;
    }
    this.#gaps += seq - this.#next;
    this.#next = seq + 1;
    this.#logged += 1;
    if (error !== null) this.#failed += 1;
    return true;
  }

  beginAgain(file: string): void {
    this.#twice ??= file;
  }

  finish(end: EndLine, file: string): void {
    if (this.#end !== null) this.#twice ??= file;
    this.#end = end;
  }

  get lacks(): string | null {
    const { exchanges: planned } = this.begin;
    const end = this.#end;
    if (end === null)
      return `has no end: ${this.#logged} of ${planned} requests are there${this.#gaps > 0 ? `, with ${this.#gaps} missing in between` : ""}`;
    if (this.#logged !== end.exchanges)
      return `lacks ${end.exchanges - this.#logged} of the ${end.exchanges} requests that its end line counts`;
    if (end.stopped !== null) return `stopped after ${end.exchanges} of ${planned} requests: ${end.stopped}`;
    if (end.exchanges !== planned)
      return `ended after ${end.exchanges} of ${planned} requests, and does not say why`;
    if (end.failed !== this.#failed)
      return `counts ${end.failed} failed requests in its end line, and its lines have ${this.#failed}`;
    return null;
  }
}
