import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builds } from "./tasks.mjs";

interface DryRun {
  readonly tasks: readonly {
    readonly taskId: string;
    readonly command: string;
    readonly cache: { readonly status: string };
  }[];
}

// `npm test` has just built everything: what a build leaves behind must be no input of the next one.
test("a second build comes from the cache, all of it", async () => {
  const { stdout } = await promisify(execFile)("turbo", ["run", ...builds, "--dry=json"], {
    maxBuffer: 64 * 2 ** 20,
  });
  const dryRun: DryRun = JSON.parse(stdout);
  // turbo lists packages without such a script, too.
  const tasks = dryRun.tasks.filter(({ command }) => command !== "<NONEXISTENT>");
  expect(tasks.length).toBeGreaterThan(builds.length);
  expect(tasks.filter(({ cache }) => cache.status !== "HIT").map(({ taskId }) => taskId)).toEqual([]);
});
