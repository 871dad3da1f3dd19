import { appendFileSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Sample } from "@evenbench/core";
import { ResultsError, systemReason } from "./error.ts";
import { SAMPLES_FILE } from "./run-folder.ts";

/**
 * Appends samples to a run's `samples.ndjson`.
 *
 * `append` only queues, so that it may be called while other exchanges are being timed; `flush` serialises and
 * writes what is queued and is called between timed exchanges. Writing is synchronous on purpose: once `flush`
 * has returned, the lines are with the operating system and survive a SIGKILL of this process.
 *
 * @example
 * const writer = new SampleWriter(folder);
 * writer.append(sample);
 * writer.flush(); // between rounds
 * writer.close();
 */
export class SampleWriter<T = Sample> {
  readonly #file: string;
  readonly #descriptor: number;
  #queue: T[] = [];
  #closed = false;

  /** @throws {ResultsError} when the file cannot be opened. */
  constructor(folder: string) {
    this.#file = join(folder, SAMPLES_FILE);
    try {
      this.#descriptor = openSync(this.#file, "a");
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Queues a sample. Does no input or output. */
  append(sample: T): void {
    this.#queue.push(sample);
  }

  /**
   * Writes all queued samples, a line each.
   *
   * @throws {ResultsError} when they cannot be written, such as on a full disk.
   */
  flush(): void {
    if (this.#queue.length === 0) return;
    const lines = this.#queue.map((sample) => `${JSON.stringify(sample)}\n`).join("");
    this.#queue = [];
    try {
      appendFileSync(this.#descriptor, lines);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Flushes and closes the file. Safe to call twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #failure(error: unknown): ResultsError {
    return new ResultsError(
      `Cannot write samples to ${this.#file}: ${systemReason(error)}. See that the folder is writable and has space left.`,
    );
  }
}
