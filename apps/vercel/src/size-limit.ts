import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@evenbench/host";

/** "Vercel Functions Limits": 250 MB uncompressed, which is AWS Lambda's 262,144,000 bytes. */
export const FUNCTION_LIMIT_BYTES = 250 * 1024 * 1024;

/**
 * Checks what Vercel checks when it deploys, and `vercel build` does not: the files of a function, uncompressed.
 *
 * @throws {HostError} with the size and the largest file.
 */
export async function assertFunctionSize(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  let total = 0;
  let largest = { path: "", bytes: 0 };
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = (await lstat(path)).size;
    total += bytes;
    if (bytes > largest.bytes) largest = { path, bytes };
  }
  if (total <= FUNCTION_LIMIT_BYTES) return;
  throw new HostError(
    `The function ${directory} has ${megabytes(total)} MB uncompressed; Vercel takes at most ${megabytes(FUNCTION_LIMIT_BYTES)} MB. ` +
      `Make it smaller: its largest file is ${largest.path} with ${megabytes(largest.bytes)} MB.`,
  );
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1).replace(/\.0$/, "");
}
