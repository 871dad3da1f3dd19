import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { filtersFor } from "./needed-builds.mjs";
import { builds } from "./tasks.mjs";

/** The tasks that turbo would run before the tests that words choose; none where nothing is to be built. */
async function tasksFor(...words: readonly string[]): Promise<readonly string[]> {
  const filters = await filtersFor(words, process.env);
  if (filters === null) return [];
  const args = ["run", ...builds, ...filters, "--dry=json"];
  const { stdout } = await promisify(execFile)("turbo", args, { maxBuffer: 64 * 2 ** 20 });
  const { tasks }: { tasks: readonly { taskId: string; command: string }[] } = JSON.parse(stdout);
  return tasks.filter(({ command }) => command !== "<NONEXISTENT>").map(({ taskId }) => taskId);
}

test.each([
  ["a case, which is tested from its source", ["packages/cases/math"], []],
  ["a part of a file's name, with options", ["math/case", "-t", "V8"], []],
  [
    "a platform, which takes the bundle",
    ["apps/node"],
    ["@evenbench/app-node#build", "@evenbench/bundle#build"],
  ],
  ["no test at all", ["packages/no-such-folder"], []],
])("for %s, `npm test -- ...` builds what it needs and no more", async (_what, words, tasks) => {
  expect(await tasksFor(...words)).toEqual(tasks);
});

test("tests that discover the apps get all of them, and so does the whole suite", async () => {
  expect(await filtersFor([], process.env)).toEqual([]);
  const tasks = await tasksFor("packages/test/src/conformance/targets", "packages/cases/math");
  expect(tasks).toEqual(
    expect.arrayContaining(["@evenbench/app-next#build:vercel", "@evenbench/app-node#build"]),
  );
});
