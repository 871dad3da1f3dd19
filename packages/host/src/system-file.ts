// Supervisors import this: it imports little, so that they start soon.
import { readFileSync, readlinkSync } from "node:fs";

/**
 * Reads a file by which the system says something of itself or of a process, such as one below /proc; "" where there is
 * none, such as of a process that has ended.
 */
export function readSystemFile(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Reads where a link leads by which the system says something, such as one below /proc; "" where there is none. */
export function readSystemLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
