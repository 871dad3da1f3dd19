import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CLI = fileURLToPath(new URL("../evenbench.ts", import.meta.url));
const COUNTER = new URL("../test/count-modules.mjs", import.meta.url).href;

/** What those who only want to read a help text should not wait for. */
const HEAVY = /\/(?:zod|undici|@observablehq|packages\/(?:runner|report|results|probe|profile))\//;

test.each([["--version"], ["--help"], ["run --help"]])("%s loads no package that does the work", (words) => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", COUNTER, CLI, ...words.split(" ")], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
  expect(loaded).toContainEqual(expect.stringContaining("/commands/run.ts"));
  expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
});
