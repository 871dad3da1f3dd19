import { readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { HostError } from "@evenbench/host";
import { findFunctions } from "./build-output.ts";

/** 250 MB as AWS Lambda counts them (Vercel documentation, "Functions: Limits"), unpacked. `vercel build` does not check it. */
const LIMIT_BYTES = 250 * 2 ** 20;

/** @throws {HostError} naming the first function that is larger than the platform takes, and its size. */
export async function checkFunctionSizes(output: string, limitBytes = LIMIT_BYTES): Promise<void> {
  for (const { folder } of await findFunctions(output)) {
    const bytes = await sizeOf(folder);
    if (bytes > limitBytes) {
      throw new HostError(
        `The function ${relative(output, folder)} has ${bytes} bytes, more than the ${limitBytes} that Vercel takes. ` +
          "Leave packages out of it, or split it.",
      );
    }
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
