import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const TAIL_BYTES = 8192;

/**
 * The last lines of a log file, indented for quoting below an error message. Frames of a stack are left out:
 * they would hide the error.
 */
export function quoteLog(logFile: string, fromByte = 0, lines = 15): string {
  const descriptor = openSync(logFile, "r");
  try {
    const end = fstatSync(descriptor).size;
    const start = Math.max(fromByte, end - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, end - start));
    readSync(descriptor, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8").trimEnd();
    if (text === "") return `${logFile} is empty.`;
    const quoted = text.split("\n").filter(isNoFrame).slice(-lines);
    return `Last lines of ${logFile}:\n${quoted.map((line) => `  | ${line}`).join("\n")}`;
  } finally {
    closeSync(descriptor);
  }
}

/** "    at resolve (node:internal/modules/esm/resolve:1:1)" */
function isNoFrame(line: string): boolean {
  return !/^\s+at .+(?:\)|:\d+:\d+)$/.test(line);
}
