import { relative } from "node:path";
import { bytesOfFolder, sizeOfFolder } from "@evenbench/bundle/deployable";
import type { DeployableSize } from "@evenbench/core";
import { HostError } from "@evenbench/host";
import { readBuildOutput } from "./build-output.ts";

/**
 * 250 MB as AWS Lambda counts them (Vercel documentation, "Functions: Limits"), unpacked. `vercel build` does
 * not check it.
 */
const LIMIT_BYTES = 250 * 2 ** 20;

/** The size of the largest function: the limit holds for each by itself. */
export async function sizeOfLargestFunction(output: string): Promise<DeployableSize> {
  const sizes = await measureFunctions(output);
  const { directory } = sizes.reduce((largest, one) => (one.bytes > largest.bytes ? one : largest));
  const limit = { bytes: LIMIT_BYTES, counts: "bytes", says: "250 MB a function, unpacked" } as const;
  return { ...(await sizeOfFolder(directory)), limit };
}

/** @throws {HostError} naming the first function that is larger than the platform takes, and its size. */
export async function checkFunctionSizes(output: string, limitBytes = LIMIT_BYTES): Promise<void> {
  const tooLarge = (await measureFunctions(output)).find(({ bytes }) => bytes > limitBytes);
  if (tooLarge === undefined) return;
  throw new HostError(
    `The function ${relative(output, tooLarge.directory)} has ${tooLarge.bytes} bytes, more than the ${limitBytes} that Vercel takes. ` +
      "Leave packages out of it, or split it.",
  );
}

async function measureFunctions(output: string): Promise<{ directory: string; bytes: number }[]> {
  const { functions } = await readBuildOutput(output);
  if (functions.length === 0) throw new HostError(`There is no function in ${output}.`);
  return Promise.all(
    functions.map(async ({ directory }) => ({ directory, bytes: await bytesOfFolder(directory) })),
  );
}
