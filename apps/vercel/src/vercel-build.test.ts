import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { takeBuildOutput } from "./vercel-build.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

test("a build's output is moved, without what tools leave beside it", async () => {
  const output = join(folder, ".vercel/output");
  await mkdir(join(output, "static"), { recursive: true });
  await writeFile(join(output, "config.json"), "{}");
  await writeFile(join(output, "static/a.txt"), "a");
  await writeFile(join(output, "builds.json"), "{}");
  const deployable = join(folder, "deployable");
  await takeBuildOutput(folder, deployable);
  expect(await readFile(join(deployable, "static/a.txt"), "utf8")).toBe("a");
  await expect(readFile(join(deployable, "builds.json"))).rejects.toThrow("ENOENT");
});

test("a build that ended well and left nothing is an error", async () => {
  await expect(takeBuildOutput(folder, join(folder, "deployable"))).rejects.toThrow("left no");
});
