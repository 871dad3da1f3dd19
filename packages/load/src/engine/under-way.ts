/** Counts requests under way over time: what Little's law is held against. */
export class UnderWay {
  #now = 0;
  #integral = 0;
  #changedAt = 0;
  #since = 0;

  get count(): number {
    return this.#now;
  }

  /** One more from now on. @returns how many others there are. */
  enter(at = performance.now()): number {
    this.#advance(at);
    return this.#now++;
  }

  leave(at = performance.now()): void {
    this.#advance(at);
    this.#now -= 1;
  }

  /** Forgets the time before. */
  startWindow(at = performance.now()): void {
    this.#advance(at);
    this.#integral = 0;
    this.#since = at;
  }

  /** Mean number under way since the window's start. */
  mean(at = performance.now()): number {
    this.#advance(at);
    return at > this.#since ? this.#integral / (at - this.#since) : 0;
  }

  #advance(at: number): void {
    this.#integral += this.#now * (at - this.#changedAt);
    this.#changedAt = at;
  }
}
