import { createReadStream } from "node:fs";
import { UserError } from "@evenbench/core";
import { systemReason } from "@evenbench/results";
import type { z } from "zod";

const NEWLINE = 0x0a;
/** No line of ours is near this long; more without a line's end is no log, and must not fill the memory. */
const MOST_BYTES = 256 * 1024;
const RAW = '{"evenbench":"';
/**
 * The same within text that is quoted: by k6's logfmt and JSON once, by what keeps such lines in JSON of
 * its own twice.
 */
const QUOTED = /\{\\+"evenbench\\+":/;

type ReadLine<T> = { readonly line: T } | "broken" | "foreign";

export interface Taker<T> {
  readonly schema: z.ZodType<T>;
  take(line: T): void;
  foreign(text: string): void;
}

/** Reads up to the first damage, as a run's samples are read. @returns the damaged line's number, from 1, or null. */
export async function readLog<T>(file: string, taker: Taker<T>): Promise<number | null> {
  let number = 0;
  const isWhole = (text: string): boolean => {
    number += 1;
    const read = readLine(text, taker.schema);
    if (read === "broken") return false;
    if (read === "foreign") taker.foreign(text);
    else taker.take(read.line);
    return true;
  };
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      const data: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = data.indexOf(NEWLINE); end !== -1; end = data.indexOf(NEWLINE, start)) {
        if (!isWhole(data.toString("utf8", start, end))) return number;
        start = end + 1;
      }
      rest = data.subarray(start);
      if (rest.length > MOST_BYTES) throw new UserError(`${file} is no log: a line of it has no end.`);
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${file} cannot be read (${systemReason(error)}). Give the logs that clients wrote.`);
  }
  return rest.length === 0 || isWhole(rest.toString("utf8")) ? null : number;
}

/** One of ours, whatever an engine, kubectl or a collector of logs has put before and around it. */
function readLine<T>(text: string, schema: z.ZodType<T>): ReadLine<T> {
  const raw = text.indexOf(RAW);
  if (raw !== -1) return parsed(text.slice(raw).trimEnd(), schema);
  const quoted = QUOTED.exec(text);
  return quoted === null ? "foreign" : parsed(unquoted(text.slice(quoted.index)), schema);
}

function parsed<T>(text: string | null, schema: z.ZodType<T>): ReadLine<T> {
  if (text === null) return "broken";
  try {
    const line = schema.safeParse(JSON.parse(text));
    return line.success ? { line: line.data } : "broken";
  } catch {
    return "broken";
  }
}

/**
 * What stands up to the quote that ends it, without its escapes; again where it was quoted twice. null
 * where it has no such end.
 */
function unquoted(text: string): string | null {
  const end = /^(?:[^"\\]|\\.)*(?=")/.exec(text)?.[0];
  if (end === undefined) return null;
  try {
    const inner: unknown = JSON.parse(`"${end}"`);
    if (typeof inner !== "string") return null;
    return inner.startsWith(RAW) ? inner : unquoted(inner);
  } catch {
    return null;
  }
}
