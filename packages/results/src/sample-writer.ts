import { createHash } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { ResultsError, systemReason } from "./error.ts";
import { SAMPLES_FILE } from "./run-folder.ts";
import type { SamplesDigest } from "./schema/run.ts";
import type { Sample } from "./schema/sample.ts";

/**
 * Appends samples to a run's `samples.ndjson`. `append` only queues: other exchanges may be timed meanwhile.
 * `flush` writes synchronously, so that what it wrote survives a SIGKILL of this process.
 */
export class SampleWriter<T = Sample> {
  readonly #file: string;
  readonly #descriptor: number;
  #queue: T[] = [];
  #closed = false;
  #count = 0;
  readonly #hash = createHash("sha256");

  /** @throws {ResultsError} when the file cannot be opened. */
  constructor(folder: string) {
    this.#file = join(folder, SAMPLES_FILE);
    try {
      this.#descriptor = openSync(this.#file, "a");
    } catch (error) {
      throw this.#failure(error);
    }
  }

  append(sample: T): void {
    this.#queue.push(sample);
  }

  /** Writes all queued samples, a line each. */
  flush(): void {
    this.#seeThatFileIsThere();
    if (this.#queue.length === 0) return;
    const lines = this.#queue.map((sample) => `${JSON.stringify(sample)}\n`).join("");
    const count = this.#queue.length;
    this.#queue = [];
    try {
      appendFileSync(this.#descriptor, lines);
      this.#hash.update(lines);
      this.#count += count;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** What was flushed until now. The file is that of a folder of its own: nothing else was in it before. */
  get written(): SamplesDigest {
    return { count: this.#count, sha256: this.#hash.copy().digest("hex") };
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

  /** An open file can be deleted. What is then written to it is lost, and the system reports no error. */
  #seeThatFileIsThere(): void {
    const there = statSync(this.#file, { throwIfNoEntry: false });
    if (there?.ino === fstatSync(this.#descriptor).ino) return;
    this.#queue = [];
    throw new ResultsError(
      `${this.#file} was deleted or replaced while it was written: its samples are lost. Leave the results folder alone and measure again.`,
    );
  }

  #failure(error: unknown): ResultsError {
    return new ResultsError(
      `Cannot write samples to ${this.#file}: ${systemReason(error)}. See that the folder is writable and has space left.`,
    );
  }
}
