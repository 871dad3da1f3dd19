import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { parseJson, UserError } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import type { z } from "zod";
import type { SamplesDigest } from "./schema/run.ts";

export const RUN_FILE = "run.json";
/** Stands in the place of `run.json` where the run was one of loads. */
export const LOAD_FILE = "load.json";
export const SAMPLES_FILE = "samples.ndjson";
export const EXPERIMENTS_FILE = "experiments.json";
export const PROVIDER_CPU_FILE = "provider-cpu.ndjson";

export class ResultsError extends UserError {
  override readonly name = "ResultsError";
}

/** The code of a system error ("EACCES"), or its message where it has none. */
export function systemReason(error: unknown): string {
  if (error instanceof Error) {
    return "code" in error ? String(error.code) : error.message;
  }
  return String(error);
}

/** Records of the largest runs have a tenth of it. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Absent on Windows, where neither pipes nor links are so easily put into a folder. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Folders of results come from others: a link would show what it leads to, and a pipe never ends. */
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

export async function readRegular(file: string): Promise<string> {
  await using handle = await openRegular(file);
  const { size } = await handle.stat();
  if (size > MOST_BYTES) {
    throw new Error(`it has ${size} bytes, and the limit is ${MOST_BYTES}`);
  }
  return new TextDecoder().decode(await handle.readFile());
}

export async function ownFolder(folder: string): Promise<void> {
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

/** More without a line's end is damage, and must not fill the memory. */
const MAXIMUM_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface RecordFile<T> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly what: string;
  /** What of a valid record contradicts itself, as half a sentence, or null. */
  check?(record: T): string | null;
  /** What to do where it cannot be read, and where it is not valid: sentences. */
  readonly ifMissing?: string;
  readonly ifInvalid: string;
}

interface LinesFile<T> extends Pick<RecordFile<T>, "name" | "schema"> {
  readonly singular: string;
  readonly plural: string;
  /** What is wrong with a valid line beside those before it, or null. */
  check?(line: T): string | null;
  /** By the record beside it; null where that does not say. */
  readonly written?: SamplesDigest | null;
}

const SUCH_AS = "such as results/20261121-093015";

/** @throws {ResultsError} when there is no such file, it is not valid, or a newer Evenbench wrote it. */
export async function readRecord<T>(folder: string, recordFile: RecordFile<T>): Promise<T> {
  const { name, schema, what, ifInvalid } = recordFile;
  const ifMissing = recordFile.ifMissing ?? `Give the folder of a ${what}, ${SUCH_AS}.`;
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

/** Hands on lines that have their end, until `take` says false. @returns what stands after the last end. */
export async function eachLine(
  chunks: AsyncIterable<Buffer>,
  mostBytes: number,
  take: (line: string) => boolean,
  onBytes?: (bytes: Buffer) => void,
): Promise<{ readonly rest: string; readonly isTooLong: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    onBytes?.(chunk);
    const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
      if (!take(data.toString("utf8", start, end))) {
        return { rest: "", isTooLong: false };
      }
      start = end + 1;
    }
    rest = data.subarray(start);
    if (rest.length > mostBytes) {
      return { rest: "", isTooLong: true };
    }
  }
  return { rest: rest.toString("utf8"), isTooLong: false };
}

/** Reads a file of JSON lines one by one, up to the first damage. */
export async function readLines<T>(
  folder: string,
  { name, schema, singular, plural, check, written = null }: LinesFile<T>,
  take: (line: T) => void,
): Promise<string | null> {
  let taken = 0;
  const damaged = (what: string) =>
    `${name} is damaged: line ${taken + 1} ${what}. Only the ${taken} ${plural} before it were read.`;
  const readLine = (line: string): string | null => {
    const raw = parseJson(line);
    if (raw === undefined) {
      return "is not JSON";
    }
    const parsed = schema.safeParse(raw);
    if (!parsed.success) {
      return `is not ${singular}: ${firstIssue(parsed.error)}`;
    }
    const wrong = check?.(parsed.data) ?? null;
    if (wrong !== null) {
      return wrong;
    }
    take(parsed.data);
    taken += 1;
    return null;
  };
  const hash = createHash("sha256");
  let damage: string | null = null;
  try {
    const handle = await openRegular(join(folder, name));
    const stream = handle.createReadStream({ highWaterMark: 1024 * 1024 });
    const takeLine = (line: string) => {
      damage = readLine(line);
      return damage === null;
    };
    const onBytes = (bytes: Buffer) => {
      if (written !== null) {
        hash.update(bytes);
      }
    };
    const { rest, isTooLong } = await eachLine(stream, MAXIMUM_LINE_BYTES, takeLine, onBytes);
    if (damage !== null) {
      return damaged(damage);
    }
    if (isTooLong) {
      return damaged(`is too long for ${singular}`);
    }
    // A line without its end is whole if it parses: an object cannot be cut and stay valid.
    damage = rest === "" ? null : readLine(rest);
    if (damage !== null) {
      return damaged(`is cut off (${damage})`);
    }
  } catch (error) {
    return `${name} cannot be read (${systemReason(error)}): ${taken} ${plural} were read.`;
  }
  if (written === null) {
    return null;
  }
  const changed = `${name} was changed after the run`;
  if (taken !== written.count) {
    return `${changed}: it has ${taken} ${plural}, and the run wrote ${written.count}.`;
  }
  return hash.digest("hex") === written.sha256
    ? null
    : `${changed}: its SHA-256 is not the one that run.json has.`;
}

/** Names of fields come from the file, and can have any length. */
const MOST_LETTERS_OF_ISSUE = 300;

/** What a schema found first: where, and what. */
export function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) {
    return "unknown problem";
  }
  const text = `${issue.path.join(".") || "its content"}: ${issue.message}`;
  return text.length > MOST_LETTERS_OF_ISSUE ? `${text.slice(0, MOST_LETTERS_OF_ISSUE)}…` : text;
}
