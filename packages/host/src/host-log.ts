// The log files that servers write, and the lines of them that errors quote.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, quotedLines } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { HostError } from "./loopback.ts";

/** A log that a server is about to get. */
export interface HostLog {
  /** Absolute path of the file. */
  readonly file: string;
  /** The descriptor of the open file. */
  readonly descriptor: number;
  /** Quotes the last lines that this server has written. */
  quote(): string;
}
/** Opens the log of a server, behind what is there already. @throws {HostError} where it cannot be written. */
export function openLog(name: string, file: string): HostLog {
  try {
    makeFolder(dirname(file));
    const descriptor = openSync(file, "a");
    const { size } = fstatSync(descriptor);
    return { file, descriptor, quote: () => quoteLog(file, size) };
  } catch (error) {
    throw new HostError(
      `The ${name} cannot write its log (${messageOf(error)}). Choose a folder that is writable.`,
    );
  }
}

/** How much of a log's end is read to be quoted, in bytes. */
const TAIL_BYTES = 8192;

/** Quotes the last lines of a log, with its name. Of a stack the first frame is shown: more would hide the error. */
export function quoteLog(logFile: string, fromByte = 0, lines = 15): string {
  let descriptor: number;
  try {
    descriptor = openSync(logFile, "r");
  } catch (error) {
    // It was removed meanwhile, say. What is to be explained by it must not be hidden by that.
    return `${logFile} cannot be read (${(error as NodeJS.ErrnoException).code}).`;
  }
  try {
    const end = fstatSync(descriptor).size;
    // A log that became too long was cut: what was behind this place is elsewhere.
    const start = Math.max(fromByte < end ? fromByte : 0, end - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(descriptor, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") {
      return `${logFile} is empty.`;
    }
    return quotedLines(`Last lines of ${logFile}:`, linesOfLog(text).slice(-lines));
  } finally {
    closeSync(descriptor);
  }
}

/** Lists the lines of a log that tell something: of a stack the first frame alone. */
export function linesOfLog(text: string): readonly string[] {
  return text.split(/\r?\n/).filter((line, index, all) => !isFrame(line) || !isFrame(all[index - 1] ?? ""));
}

/** Tells whether a line is one of a stack, such as "    at resolve (node:internal/modules/esm/resolve:1:1)". */
function isFrame(line: string): boolean {
  return /^\s+at .+(?:\)|:\d+:\d+)(?: \{)?$/.test(line);
}
