import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** Largest text of a user's that is read, in bytes: 64 MB. The largest real lock files have some MB. */
const MAX_USER_FILE_BYTES = 64 * 1024 * 1024;
// Absent on Windows.
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/**
 * Reads a file in a user's folder as UTF-8 text, through symbolic links. A pipe is not waited for: opening one that
 * nobody writes to would block a thread, and the process could not end.
 *
 * @throws {Error} where there is no such file, it is no regular one, or it has more than 64 MB.
 */
export async function readUserFile(file: string): Promise<string> {
  await using handle = await open(file, O_RDONLY | O_NONBLOCK);
  const stat = await handle.stat();
  if (!stat.isFile()) {
    throw new Error("it is not a regular file");
  }
  if (stat.size > MAX_USER_FILE_BYTES) {
    throw new Error(`it has ${stat.size} bytes, and the limit is ${MAX_USER_FILE_BYTES}`);
  }
  return handle.readFile("utf8");
}
