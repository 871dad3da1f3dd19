import { readFile, writeFile } from "node:fs/promises";
import { basename, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { putInFront } from "@evenbench/bundle/deployable";
import { readBuildOutput } from "./build-output.ts";

const FRONT = "evenbench-front.mjs";

/**
 * Makes a module of ours the handler of every function: it refuses strangers and hands over to the one it
 * found there.
 */
export async function closeFunctions(output: string): Promise<void> {
  const { functions } = await readBuildOutput(output);
  for (const { directory, configuration } of functions) {
    const front = posix.join(posix.dirname(configuration.handler), FRONT);
    await putInFront({
      source: fileURLToPath(new URL("front.ts", import.meta.url)),
      outfile: join(directory, front),
      behind: `./${basename(configuration.handler)}`,
    });
    await changeConfiguration(directory, { handler: front });
  }
}

/** Changes members of a function's .vc-config.json. */
export async function changeConfiguration(
  directory: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  const file = join(directory, ".vc-config.json");
  const configuration = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, `${JSON.stringify({ ...configuration, ...changes }, null, 2)}\n`);
}
