import { createHash } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, statSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "@evenbench/core/make-folder";
import type { JoinedAccount } from "./accounts.ts";
import { PROVIDER_CPU_FILE, ResultsError, SAMPLES_FILE, systemReason } from "./files.ts";
import type { SamplesDigest } from "./schema/run.ts";
import type { Sample } from "./schema/sample.ts";

export interface RunFolder {
  readonly id: string;
  readonly folder: string;
}

export async function createRunFolder(resultsDirectory: string, now = new Date()): Promise<RunFolder> {
  const directory = resolve(resultsDirectory);
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  try {
    makeFolder(directory);
    for (let attempt = 1; ; attempt++) {
      const id = attempt === 1 ? stamp : `${stamp}-${attempt}`;
      const folder = join(directory, id);
      const taken = await mkdir(folder).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === "EEXIST" || Promise.reject(error),
      );
      if (!taken) return { id, folder };
    }
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${directory}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}

/** What a run has before anything is measured. */
export const NOTHING_MEASURED = {
  deployables: {},
  usage: [],
  warmUps: [],
  clientLoad: [],
  timelines: [],
  coldStarts: [],
} as const;

export async function writeJson(file: string, content: unknown): Promise<void> {
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
}

export async function writeProviderCpu(folder: string, accounts: readonly JoinedAccount[]): Promise<void> {
  const lines = accounts.map((account) => `${JSON.stringify(account)}\n`);
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}

/** Of this process, and of the machine. */
const TOO_MANY_FILES = ["EMFILE", "ENFILE"];

/** A reader sees the old one or the new one, never a part. */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // What another left there may be a link: it is removed, never written through.
    await rm(temporary, { force: true });
    await writeFile(temporary, content, { flush: true, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    const reason = systemReason(error);
    const remedy = TOO_MANY_FILES.includes(reason)
      ? "Too many files are open: raise the limit (ulimit -n), or use fewer connections."
      : "See that the folder exists, is writable and has space left.";
    throw new ResultsError(`Cannot write ${file}: ${reason}. ${remedy}`);
  }
}

/** `append` only queues: exchanges may be timed meanwhile. What `flush` wrote survives a SIGKILL. */
export class SampleWriter<T = Sample> {
  readonly #file: string;
  readonly #descriptor: number;
  #queue: T[] = [];
  #closed = false;
  #count = 0;
  readonly #hash = createHash("sha256");

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

  get written(): SamplesDigest {
    return { count: this.#count, sha256: this.#hash.copy().digest("hex") };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  /** What is then written is lost, and the system reports no error. */
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
