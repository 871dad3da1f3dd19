import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { firstIssue, parseJson } from "@evenbench/core";
import { systemReason } from "@evenbench/core/user-file";
import { openRegular, type RecordFile } from "./files.ts";
import type { SamplesDigest } from "./schema/run.ts";

/** Longest line that is read, in bytes. More without a line's end is damage, and must not fill the memory. */
const MAX_SAMPLE_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;

/** A file with a record of JSON in each line. */
export interface LinesFile<T> extends Pick<RecordFile<T>, "name" | "schema"> {
  /** Name of a line, with its article: "a sample". */
  readonly singular: string;
  /** Name of the lines: "samples". */
  readonly plural: string;
  /**
   * Tells whether a value is surely a valid line; where it says no, the slower schema decides. Default: always the
   * schema.
   */
  isValid?(value: unknown): value is T;
  /** Says what is wrong with a valid line beside those before it, as the end of a sentence; null where nothing is. */
  check?(line: T): string | null;
  /** Digest of the lines as they were written; null where no record says it. Default: null. */
  readonly written?: SamplesDigest | null;
}

/** How a reading of lines ended. */
export interface LinesEnd {
  /** Text behind the last line's end; empty where there is none, or where reading ended before. */
  readonly rest: string;
  /** True where reading ended at a line that is too long. */
  readonly isTooLong: boolean;
}

/**
 * Hands the whole lines of a stream to `take`, which says whether to go on. A chunk may be written over by the next
 * one. Behind `maxBytes` without a line's end nothing more is read.
 */
export async function eachLine(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
  take: (line: string) => boolean,
): Promise<LinesEnd> {
  return eachText(chunks, maxBytes, (text) => text.split("\n").every(take));
}

/** Hands on whole lines, as many at a time as a chunk brings: to decode or parse them one by one takes longer. */
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

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a file into one buffer, again and again, on this thread: what a stream reads is memory that nobody frees for a
 * while.
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
 * Reads a file of JSON lines up to the first damage.
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

/** Parses several lines at once where each is an object, which is faster; null where they have to be parsed one by one. */
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
    return `${changed}: its SHA-256 is not the one that was recorded.`;
  }
  return null;
}
