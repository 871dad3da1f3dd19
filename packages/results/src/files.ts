import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { firstIssue, parseJson, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { codeOf, systemReason } from "@evenbench/core/user-file";
import type { z } from "zod";

/** The record of a run: plan, settings, versions and machine. */
export const RUN_FILE = "run.json";
/** The record of a load run, in the place of `run.json`. */
export const LOAD_FILE = "load.json";
/** The samples beside either record, one a line. */
export const SAMPLES_FILE = "samples.ndjson";
/** The record of a run of experiments. */
export const EXPERIMENTS_FILE = "experiments.json";
/** CPU time that platforms account to requests of a run, one a line. */
export const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

/** An error with results that the user can mend: its message says what is wrong and what to do. */
export class ResultsError extends UserError {
  override readonly name = "ResultsError";
}

/** Largest record that is read, in bytes: 64 MB. The largest real ones have 6 MB. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;
// Absent on Windows, where neither pipes nor links are so easily put into a folder.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a regular file for reading. Folders of results come from others: a link would show what it leads to,
 * and a pipe never ends.
 *
 * @throws {Error} where there is no such file, or it is no regular one.
 */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
    throw codeOf(error) === "ELOOP" ? new Error("it is a symbolic link") : error;
  });
  const stat = await handle.stat();
  if (stat.isFile()) {
    return handle;
  }
  await handle.close();
  throw new Error("it is not a regular file");
}

/**
 * Reads a regular file as UTF-8 text.
 *
 * @throws {Error} where there is no such file, it is no regular one, or it has more than 64 MB.
 */
export async function readRegular(file: string): Promise<string> {
  await using handle = await openRegular(file);
  const { size } = await handle.stat();
  if (size > MAX_RECORD_BYTES) {
    throw new Error(`it has ${size} bytes, and the limit is ${MAX_RECORD_BYTES}`);
  }
  return new TextDecoder().decode(await handle.readFile());
}

/**
 * Makes a folder for results where there is none.
 *
 * @throws {ResultsError} where it cannot be made, or is a symbolic link: nothing is written through one.
 */
export async function makeResultsFolder(folder: string): Promise<void> {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new ResultsError(
      `Cannot write ${folder}: ${systemReason(error)}. See that the folder can be written to, or give another.`,
    );
  }
  const stat = await lstat(folder);
  if (stat.isSymbolicLink()) {
    throw new ResultsError(`${folder} is a symbolic link, and nothing is written through it. Remove it.`);
  }
}

/** A file of JSON that holds one record. */
export interface RecordFile<T> {
  /** Name of the record's file in a folder of results. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** Kind of the record, without an article: "run". */
  readonly what: string;
  /** Says what of a valid record contradicts itself, as half a sentence; null where nothing does. */
  check?(record: T): string | null;
  /** Remedy where the file is not valid, as a sentence. */
  readonly ifInvalid: string;
}

const EXAMPLE_FOLDER = "such as results/20261121-093015-3fa9";

/**
 * Reads a record.
 *
 * @throws {ResultsError} when there is no such file, it is not valid, or another Evenbench's schema wrote it.
 */
export async function readRecord<T>(folder: string, recordFile: RecordFile<T>): Promise<T> {
  const { name, schema, what, ifInvalid } = recordFile;
  const ifMissing = `Give the folder of a ${what}, ${EXAMPLE_FOLDER}.`;
  const file = join(folder, name);
  let text: string;
  try {
    text = await readRegular(file);
  } catch (error) {
    throw new ResultsError(
      `No ${what} in ${folder}: ${name} cannot be read (${systemReason(error)}). ${ifMissing}`,
    );
  }
  const raw = parseJson(text);
  if (raw === undefined) {
    throw new ResultsError(`${file} is not JSON, as if it was cut off. ${ifInvalid}`);
  }
  const record = schema.safeParse(raw);
  if (record.success) {
    const wrong = recordFile.check?.(record.data) ?? null;
    if (wrong === null) {
      return record.data;
    }
    throw new ResultsError(`${file} is not a valid ${what}: ${wrong}. ${ifInvalid}`);
  }
  const { schemaVersion } = Object(raw) as { schemaVersion?: unknown };
  if (typeof schemaVersion === "number" && record.error.issues[0]?.path[0] === "schemaVersion") {
    throw new ResultsError(
      `${file} has schema version ${schemaVersion}, which this Evenbench does not read. Use the Evenbench that wrote it, or a newer one.`,
    );
  }
  throw new ResultsError(`${file} is not a valid ${what}: ${firstIssue(record.error)}. ${ifInvalid}`);
}
