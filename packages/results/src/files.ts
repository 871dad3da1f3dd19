import { createHash } from "node:crypto";
import { constants, readSync } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { parseJson, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import type { z } from "zod";
import type { SamplesDigest } from "./schema/run.ts";

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

/** Gives the reason of an error in a word: the code of a system error ("EACCES"), or its message where it has none. */
export function systemReason(error: unknown): string {
  if (error instanceof Error) {
    return "code" in error ? String(error.code) : error.message;
  }
  return String(error);
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
    throw systemReason(error) === "ELOOP" ? new Error("it is a symbolic link") : error;
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

/** Longest line that is read, in bytes. More without a line's end is damage, and must not fill the memory. */
const MAX_SAMPLE_LINE_BYTES = 64 * 1024;

/** The byte that ends a line. */
const NEWLINE = 0x0a;

/** A file of JSON that holds one record. */
export interface RecordFile<T> {
  /** Name of the record's file in a folder of results. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** Kind of the record, without an article: "run". */
  readonly what: string;
  /** Says what of a valid record contradicts itself, as half a sentence; null where nothing does. */
  check?(record: T): string | null;
  /** Remedy where the file cannot be read, as a sentence. Default: give a folder that has one. */
  readonly ifMissing?: string;
  /** Remedy where the file is not valid, as a sentence. */
  readonly ifInvalid: string;
}

/** A file with a record of JSON in each line. */
export interface LinesFile<T> extends Pick<RecordFile<T>, "name" | "schema"> {
  /** Name of a line, with its article: "a sample". */
  readonly singular: string;
  /** Name of the lines: "samples". */
  readonly plural: string;
  /**
   * Tells whether a value is surely a valid line, in a fraction of the schema's time; where it says no, the schema
   * decides. Default: the schema decides always.
   */
  isValid?(value: unknown): value is T;
  /** Says what is wrong with a valid line beside those before it, as the end of a sentence; null where nothing is. */
  check?(line: T): string | null;
  /**
   * Digest of the lines as they were written, by the record beside them; null where that does not say.
   * Default: null.
   */
  readonly written?: SamplesDigest | null;
}

/** How a reading of lines ended. */
export interface LinesEnd {
  /** Text behind the last line's end; empty where there is none, or where reading ended before. */
  readonly rest: string;
  /** True where reading ended at a line that is too long. */
  readonly isTooLong: boolean;
}

/** The end of a remedy that names a folder. */
const EXAMPLE_FOLDER = "such as results/20261121-093015-3fa9";

/**
 * Reads a record.
 *
 * @throws {ResultsError} when there is no such file, it is not valid, or another Evenbench's schema wrote it.
 */
export async function readRecord<T>(folder: string, recordFile: RecordFile<T>): Promise<T> {
  const { name, schema, what, ifInvalid } = recordFile;
  const ifMissing = recordFile.ifMissing ?? `Give the folder of a ${what}, ${EXAMPLE_FOLDER}.`;
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

/**
 * Hands on the lines of a stream that have their end.
 *
 * @param chunks of which each may be written over when the next one is asked for.
 * @param maxBytes length of a line from which on nothing more is read.
 * @param take is given each line, and returns whether to go on.
 */
export async function eachLine(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  take: (line: string) => boolean,
): Promise<LinesEnd> {
  return eachText(chunks, maxBytes, (text) => text.split("\n").every(take));
}

/**
 * Hands on the lines of a stream that have their end, as many at a time as a chunk brings: to decode or parse them one
 * by one takes longer.
 *
 * @param takeText is given one line, or several with a newline between them, and returns whether to go on.
 * @param onBytes is given all bytes as they come.
 */
async function eachText(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  takeText: (text: string) => boolean,
  onBytes?: (bytes: Buffer) => void,
): Promise<LinesEnd> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    onBytes?.(chunk);
    const first = chunk.indexOf(NEWLINE);
    if (first === -1) {
      rest = Buffer.concat([rest, chunk]);
    } else {
      const last = chunk.lastIndexOf(NEWLINE);
      const firstLine = Buffer.concat([rest, chunk.subarray(0, first)]).toString("utf8");
      const isTaken =
        takeText(firstLine) && (first === last || takeText(chunk.toString("utf8", first + 1, last)));
      if (!isTaken) {
        return { rest: "", isTooLong: false };
      }
      rest = Buffer.from(chunk.subarray(last + 1));
    }
    if (rest.length > maxBytes) {
      return { rest: "", isTooLong: true };
    }
  }
  return { rest: rest.toString("utf8"), isTooLong: false };
}

/** Length of what is read of a file at a time, in bytes. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a file into one buffer, again and again: what a stream reads is memory that nobody frees for a while. It reads
 * on this thread, which would do nothing meanwhile but wait for another one.
 */
async function* chunksOf({ fd }: FileHandle): AsyncIterable<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const bytesRead = readSync(fd, buffer);
    if (bytesRead === 0) {
      return;
    }
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Reads a file of JSON lines one by one, up to the first damage.
 *
 * @param take is given each valid line.
 * @returns what could not be read, or was changed since it was written, as a sentence; null where all is well.
 */
export async function readLines<T>(
  folder: string,
  file: LinesFile<T>,
  take: (line: T) => void,
): Promise<string | null> {
  const { name, singular, plural, written = null } = file;
  let taken = 0;
  const takeValid = (value: unknown): string | null => {
    const { record, wrong } = checkLine(value, file);
    if (record === null) {
      return wrong;
    }
    take(record);
    taken += 1;
    return null;
  };
  const damaged = (what: string): string =>
    `${name} is damaged: line ${taken + 1} ${what}. Only the ${taken} ${plural} before it were read.`;
  const hash = createHash("sha256");
  const onBytes = (bytes: Buffer): void => {
    if (written !== null) {
      hash.update(bytes);
    }
  };
  try {
    let damage: string | null = null;
    const takeText = (text: string): boolean => {
      const values = parseLines(text) ?? text.split("\n").map(parseJson);
      return values.every((value) => {
        damage = takeValid(value);
        return damage === null;
      });
    };
    await using handle = await openRegular(join(folder, name));
    const { rest, isTooLong } = await eachText(chunksOf(handle), MAX_SAMPLE_LINE_BYTES, takeText, onBytes);
    if (damage !== null) {
      return damaged(damage);
    }
    if (isTooLong) {
      return damaged(`is too long for ${singular}`);
    }
    // A line without its end is whole if it parses: an object cannot be cut and stay valid.
    damage = rest === "" ? null : takeValid(parseJson(rest));
    if (damage !== null) {
      return damaged(`is cut off (${damage})`);
    }
  } catch (error) {
    return `${name} cannot be read (${systemReason(error)}): ${taken} ${plural} were read.`;
  }
  return written === null ? null : whyChanged(file, written, { count: taken, sha256: hash.digest("hex") });
}

/**
 * Parses several lines at once where each is an object, which takes less time than line by line.
 *
 * @returns a value for each line; null where they have to be parsed line by line.
 */
function parseLines(text: string): readonly unknown[] | null {
  const list = text.replaceAll("}\n{", "},{");
  if (list.includes("\n")) {
    return null;
  }
  const values = parseJson(`[${list}]`);
  // "{},{}" would be two values of one line.
  return Array.isArray(values) && values.length === countLines(text) ? values : null;
}

function countLines(text: string): number {
  let count = 1;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) {
    count += 1;
  }
  return count;
}

/** A line that was checked: its record, or what is wrong with it as the end of a sentence. */
type CheckedLine<T> =
  | { readonly record: T; readonly wrong: null }
  | { readonly record: null; readonly wrong: string };

/** Checks the value of one line, by itself and beside those before. @param raw undefined where it is no JSON. */
function checkLine<T>(raw: unknown, { schema, singular, check, isValid }: LinesFile<T>): CheckedLine<T> {
  if (raw === undefined) {
    return { record: null, wrong: "is not JSON" };
  }
  let record: T;
  if (isValid?.(raw) === true) {
    record = raw;
  } else {
    const parsed = schema.safeParse(raw);
    if (!parsed.success) {
      return { record: null, wrong: `is not ${singular}: ${firstIssue(parsed.error)}` };
    }
    record = parsed.data;
  }
  const wrong = check?.(record) ?? null;
  return wrong === null ? { record, wrong: null } : { record: null, wrong };
}

/** Says why a file is not what the run wrote, as a sentence; null where it is. */
function whyChanged(
  { name, plural }: Pick<LinesFile<unknown>, "name" | "plural">,
  written: SamplesDigest,
  read: SamplesDigest,
): string | null {
  const changed = `${name} was changed after the run`;
  if (read.count !== written.count) {
    return `${changed}: it has ${read.count} ${plural}, and the run wrote ${written.count}.`;
  }
  if (read.sha256 !== written.sha256) {
    return `${changed}: its SHA-256 is not the one that run.json has.`;
  }
  return null;
}

/** Number of letters of an issue that are shown: names of fields come from the file, and can have any length. */
const MAX_ISSUE_LETTERS = 300;

/** Puts into words what a schema found first: the field's path, and what is wrong there. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) {
    return "unknown problem";
  }
  const text = `${issue.path.join(".") || "its content"}: ${issue.message}`;
  return text.length > MAX_ISSUE_LETTERS ? `${text.slice(0, MAX_ISSUE_LETTERS)}…` : text;
}
