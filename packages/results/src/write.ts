import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "@evenbench/core/make-folder";
import { codeOf, systemReason } from "@evenbench/core/user-file";
import type { JoinedAccount } from "./accounts.ts";
import { PROVIDER_CPU_FILE, ResultsError, SAMPLES_FILE } from "./files.ts";
import type { SamplesDigest } from "./schema/run.ts";
import type { Sample } from "./schema/sample.ts";

/** The folder of a run that begins. */
export interface RunFolder {
  /** The run's id, which is the folder's name: 20261121-093015-3fa9. */
  readonly id: string;
  /** Absolute path of the folder. */
  readonly folder: string;
}

/** Number of random bytes, in hexadecimal digits, that tell runs of one second apart, on one machine or on many. */
const SUFFIX_BYTES = 2;

/**
 * Makes the folder of a run that begins now, such as 20261121-093015-3fa9. Folders sort by the time of their
 * start, and runs of one second differ by the end of their names, wherever they were measured.
 *
 * @throws {ResultsError} when the results folder cannot be written to.
 */
export async function createRunFolder(resultsDirectory: string, now: Date = new Date()): Promise<RunFolder> {
  const directory = resolve(resultsDirectory);
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  try {
    makeFolder(directory);
    for (;;) {
      const id = `${stamp}-${randomBytes(SUFFIX_BYTES).toString("hex")}`;
      const folder = join(directory, id);
      const taken = await mkdir(folder).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === "EEXIST" || Promise.reject(error),
      );
      if (!taken) {
        return { id, folder };
      }
    }
  } catch (error) {
    throw new ResultsError(
      `Cannot write results to ${directory}: ${systemReason(error)}. Give a folder that can be written to: --out <folder>.`,
    );
  }
}

/** The lists of a run's record before anything is measured. */
export const NOTHING_MEASURED = {
  deployables: {},
  usage: [],
  warmUps: [],
  clientLoad: [],
  timelines: [],
  coldStarts: [],
  startUps: [],
  memory: [],
} as const;

/** Writes a value as indented JSON, as a whole. @throws {ResultsError} when it cannot be written. */
export async function writeJson(file: string, content: unknown): Promise<void> {
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Writes what platforms account to the requests of a run. @throws {ResultsError} when it cannot be written. */
export async function writeProviderCpu(folder: string, accounts: readonly JoinedAccount[]): Promise<void> {
  const lines = accounts.map((account) => `${JSON.stringify(account)}\n`);
  await writeWhole(join(folder, PROVIDER_CPU_FILE), lines.join(""));
}

/** Files that are being written: what ends this process removes them. */
const unfinished = new Set<string>();
process.on("exit", () => {
  for (const file of unfinished) {
    rmSync(file, { force: true });
  }
});

/** Reads off a file's name which process began it and did not finish; null where it is no unfinished one of `names`. */
function beganBy(name: string, names: readonly string[]): number | null {
  const [, whole = "", pid] = /^(.+)\.(\d+)\.tmp$/.exec(name) ?? [];
  return pid !== undefined && names.includes(whole) ? Number(pid) : null;
}

/** Tells whether a file is one of `names` that was begun, and not finished yet. */
export function isUnfinished(name: string, names: readonly string[]): boolean {
  return beganBy(name, names) !== null;
}

/** Tells whether a process runs, whoever owns it. */
function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of somebody else cannot be asked.
    return codeOf(error) === "EPERM";
  }
}

/** Removes what processes that were killed left of files of these names in a folder. */
export async function removeUnfinished(folder: string, names: readonly string[]): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = beganBy(name, names);
    if (pid !== null && !isProcessRunning(pid)) {
      await rm(join(folder, name), { force: true });
    }
  }
}

/** Codes of the error that too many files are open: in this process, and on the machine. */
const TOO_MANY_FILES = ["EMFILE", "ENFILE"];

/**
 * Writes a file as a whole: a reader sees the old or the new one, never a part.
 *
 * @throws {ResultsError} when it cannot be written.
 */
export async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  unfinished.add(temporary);
  try {
    // What another left there may be a link: it is removed, never written through.
    await rm(temporary, { force: true });
    await writeFile(temporary, content, { flush: true, flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw notWritten(file, error);
  } finally {
    unfinished.delete(temporary);
  }
}

/** Writes into a file, device or link whose path a user typed. @throws {ResultsError} when it cannot be written. */
export async function writeInto(file: string, content: string): Promise<void> {
  await writeFile(file, content).catch((error) => {
    throw notWritten(file, error);
  });
}

function notWritten(file: string, error: unknown): ResultsError {
  const remedy = TOO_MANY_FILES.includes(codeOf(error))
    ? "Too many files are open: raise the limit (ulimit -n), or use fewer connections."
    : "See that the folder exists, is writable and has space left.";
  return new ResultsError(`Cannot write ${file}: ${systemReason(error)}. ${remedy}`);
}

/**
 * Writes samples to the end of `samples.ndjson`. `append` only queues, since exchanges may be timed
 * meanwhile; what `flush` wrote survives a SIGKILL.
 */
export class SampleWriter<T = Sample> {
  readonly #file: string;
  readonly #descriptor: number;
  #queue: T[] = [];
  #closed = false;
  #count = 0;
  /** Size in bytes that the file must have: what was there before, and what was written. */
  #size: number;
  readonly #hash = createHash("sha256");

  /** @throws {ResultsError} when the file cannot be opened. */
  constructor(folder: string) {
    this.#file = join(folder, SAMPLES_FILE);
    try {
      this.#descriptor = openSync(this.#file, "a");
      this.#size = fstatSync(this.#descriptor).size;
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Queues a sample, without writing it. */
  append(sample: T): void {
    this.#queue.push(sample);
  }

  /** Writes what was queued. @throws {ResultsError} when it cannot be written, or somebody else changed the file. */
  flush(): void {
    this.#assertUntouched();
    if (this.#queue.length === 0) {
      return;
    }
    const lines = this.#queue.map((sample) => `${JSON.stringify(sample)}\n`).join("");
    const count = this.#queue.length;
    this.#queue = [];
    try {
      appendFileSync(this.#descriptor, lines);
      this.#hash.update(lines);
      this.#count += count;
      this.#size += Buffer.byteLength(lines);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** The number and the SHA-256 digest of all samples that were written. */
  get written(): SamplesDigest {
    return { count: this.#count, sha256: this.#hash.copy().digest("hex") };
  }

  /** Writes what was queued, and closes the file; does nothing the second time. */
  close(): void {
    if (this.#closed) {
      return;
    }
    this.#closed = true;
    try {
      this.flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  /** Fails where others changed the file: that is seen at the next flush, and the system reports no error. */
  #assertUntouched(): void {
    const there = statSync(this.#file, { throwIfNoEntry: false });
    if (there?.ino !== fstatSync(this.#descriptor).ino) {
      throw this.#disturbed("deleted or replaced");
    }
    if (there.size !== this.#size) {
      throw this.#disturbed(there.size < this.#size ? "truncated" : "appended to");
    }
  }

  #disturbed(how: string): ResultsError {
    this.#queue = [];
    return new ResultsError(
      `${this.#file} was ${how} while it was written: its samples are lost. Leave the results folder alone and measure again.`,
    );
  }

  #failure(error: unknown): ResultsError {
    return new ResultsError(
      `Cannot write samples to ${this.#file}: ${systemReason(error)}. See that the folder is writable and has space left.`,
    );
  }
}
