import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TYPE_STRIPPING } from "@evenbench/host";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fixtureTarget, scratchFolder } from "../test/fixture.ts";
import { eventsOf, shortRunInto } from "../test/short-run.ts";

const OTHER_RUN = fileURLToPath(new URL("../test/other-run.ts", import.meta.url));

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
beforeEach(async () => {
  scratch = await scratchFolder();
  vi.stubEnv("TMPDIR", scratch.path);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await scratch[Symbol.asyncDispose]();
});

/** Another process that measures into a results folder of its own, from beginning to end. */
async function otherRun(): Promise<{ pid: number; said: string }> {
  const child = execFile(process.execPath, [...TYPE_STRIPPING, OTHER_RUN, join(scratch.path, "other")]);
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  await once(child, "close");
  return { pid: child.pid ?? Number.NaN, said };
}

test("both of two runs are told of the other, though the second came later, is gone, and wrote elsewhere", async () => {
  const interruption = new AbortController();
  let other: ReturnType<typeof otherRun> | undefined;
  const first = await shortRunInto(join(scratch.path, "first"), {
    targets: [fixtureTarget("node")],
    rounds: 100_000,
    signal: interruption.signal,
    onProgress({ phase }) {
      if (phase === "measure") other ??= otherRun().finally(() => interruption.abort());
    },
  });
  const second = await other;
  expect(second?.said).toContain(`pid ${process.pid}`);
  expect(eventsOf(first, "other-run-active").map(({ detail }) => detail)).toEqual([
    expect.stringContaining(`pid ${second?.pid}`),
  ]);
  expect(readdirSync(join(scratch.path, "evenbench-measuring"))).toEqual([]);
});

test("a run that was killed leaves a mark that nobody is warned of, and that goes away", async () => {
  const marks = join(scratch.path, "evenbench-measuring");
  mkdirSync(marks);
  // More than any system gives.
  writeFileSync(join(marks, "4194305"), "");
  const result = await shortRunInto(scratch.path, { targets: [fixtureTarget("node")], rounds: 1 });
  expect(eventsOf(result, "other-run-active")).toEqual([]);
  expect(readdirSync(marks)).toEqual([]);
});

test("a folder for temporary files that cannot be written is said in one line", async () => {
  const file = join(scratch.path, "file");
  writeFileSync(file, "");
  vi.stubEnv("TMPDIR", file);
  await expect(shortRunInto(scratch.path, { targets: [fixtureTarget("node")] })).rejects.toThrow(
    /evenbench-measuring cannot be written \(.*\)\. Remove it, or set TMPDIR/,
  );
});
