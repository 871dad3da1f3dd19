import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { CLI, testFolder } from "../test/evenbench.ts";

const at = testFolder();
const COUNTER = new URL("../test/count-modules.mjs", import.meta.url).href;

/** What those who only want to read a help text should not wait for. */
const HEAVY = /\/(?:zod|undici|@observablehq|packages\/(?:runner|report|results|probe|profile))\//;

function loadedBy(words: readonly string[]): readonly string[] {
  const { status, stderr } = spawnSync(process.execPath, ["--import", COUNTER, CLI, ...words], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  const loaded = stderr.split("\n").filter((line) => line.startsWith("file:"));
  expect(loaded).toContainEqual(expect.stringContaining("/commands/run.ts"));
  return loaded;
}

test.each([["--version"], ["--help"], ["run --help"]])("%s loads no package that does the work", (words) => {
  expect(loadedBy(words.split(" ")).filter((url) => HEAVY.test(url))).toEqual([]);
});

test("what draws pictures is loaded only where one is drawn", () => {
  const loaded = loadedBy(["history", at()]);
  expect(loaded).toContainEqual(expect.stringContaining("/packages/report/src/create-report.ts"));
  expect(loaded.filter((url) => /\/(?:@resvg|src\/card)\//.test(url))).toEqual([]);
});
