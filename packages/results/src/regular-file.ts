import { constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { makeFolder } from "@evenbench/core/make-folder";
import { ResultsError, systemReason } from "./error.ts";

/** Records of the largest runs have a tenth of it. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Absent on Windows, where neither pipes nor links are so easily put into a folder. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Opens a file to read. Folders of results come from others: a link would show what it leads to, and a pipe
 * never ends.
 */
export async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
    throw systemReason(error) === "ELOOP" ? new Error("it is a symbolic link") : error;
  });
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  throw new Error("it is no regular file");
}

/** The text of such a file, without the mark that some editors put before it. */
export async function readRegular(file: string): Promise<string> {
  await using handle = await openRegular(file);
  const { size } = await handle.stat();
  if (size > MOST_BYTES) throw new Error(`it has ${size} bytes, and ${MOST_BYTES} are the most`);
  return new TextDecoder().decode(await handle.readFile());
}

/** Makes a folder that is to be written to, and its parents. */
export async function ownFolder(folder: string): Promise<void> {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new ResultsError(
      `Cannot write ${folder}: ${systemReason(error)}. See that the folder can be written to, or give another.`,
    );
  }
  const stat = await lstat(folder);
  if (stat.isSymbolicLink())
    throw new ResultsError(`${folder} is a symbolic link, and nothing is written through it. Remove it.`);
}
