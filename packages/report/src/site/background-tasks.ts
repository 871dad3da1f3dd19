/** Tasks that go on while something else is done, at most so many at a time. */
export class BackgroundTasks implements AsyncDisposable {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  /** Errors of tasks that failed, in the order of their ends. */
  readonly #errors: unknown[] = [];

  /** @param limit number of tasks that run at a time. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Starts a task, once there is room for it.
   *
   * @throws what a task before threw first: then it starts none.
   */
  async start(task: () => Promise<void>): Promise<void> {
    if (this.#running.size >= this.#limit) {
      await Promise.race(this.#running);
    }
    this.#throwFirst();
    const running = this.#settled(task).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /**
   * Waits for all tasks.
   *
   * @throws what a task threw first.
   */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFirst();
  }

  /** Waits for all tasks, and throws nothing: what is thrown meanwhile is the reason for the end. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running);
  }

  async #settled(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      this.#errors.push(error);
    }
  }

  #throwFirst(): void {
    if (this.#errors.length > 0) {
      throw this.#errors[0];
    }
  }
}
