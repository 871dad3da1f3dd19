import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readTimes } from "./keep-times.ts";

const SEQUENCER = fileURLToPath(new URL("longest-first.ts", import.meta.url));

test("files begin with those that took longest, here or as it is kept; without either, with the largest", async () => {
  const [kept = ""] = Object.keys(readTimes());
  // In the repository, so that Vitest is found from there.
  const folder = await mkdtemp(fileURLToPath(new URL("../../node_modules/.order-", import.meta.url)));
  const write = async (file: string, code: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), code);
  };
  const passing = (code: string) => `import { test } from "vitest"; test("it", ${code});`;
  /** In the order in which they were run. */
  const run = async () => {
    const command = ["run", "--root", folder, "--no-file-parallelism", "--reporter", "default"];
    const { stdout } = await promisify(execFile)("vitest", command, {
      env: { PATH: process.env.PATH, NO_COLOR: "1" },
    });
    return [...stdout.matchAll(/^ ✓ (\S+) /gm)].map(([, file]) => file);
  };
  try {
    await write(
      "vitest.config.ts",
      `import LongestFirst from ${JSON.stringify(SEQUENCER)};
      export default { test: { include: ["**/*.test.*"], exclude: [], sequence: { sequencer: LongestFirst } } };`,
    );
    await write(kept, passing("() => {}"));
    await write("large.test.js", `${passing("() => {}")} // ${"x".repeat(500)}`);
    await write("slow.test.js", passing("() => new Promise((resolve) => setTimeout(resolve, 2000))"));
    expect(await run()).toEqual([kept, "large.test.js", "slow.test.js"]);
    expect(await run()).toEqual([kept, "slow.test.js", "large.test.js"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
