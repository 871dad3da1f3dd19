import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { nameRuntime, takeBuildOutput } from "./vercel-build.ts";

let folder: string;
folderOfEachTest((path) => {
  folder = path;
});

test("a build's output is moved, without what tools leave beside it", async () => {
  writeFiles(join(folder, ".vercel/output"), { "config.json": {}, "static/a.txt": "a", "builds.json": {} });
  const deployable = join(folder, "deployable");
  await takeBuildOutput(folder, deployable);
  expect(await readFile(join(deployable, "static/a.txt"), "utf8")).toBe("a");
  await expect(readFile(join(deployable, "builds.json"))).rejects.toThrow("ENOENT");
});

test("a build that ended well and left nothing is an error", async () => {
  await expect(takeBuildOutput(folder, join(folder, "deployable"))).rejects.toThrow("left no");
});

test("functions get the runtime of new projects, or keep an adapter's with the reason in their facts", async () => {
  const built = {
    runtime: "nodejs24.x",
    handler: "index.mjs",
    launcherType: "Nodejs",
    environment: { A: "1" },
  };
  writeFiles(folder, { "config.json": { version: 3, routes: [] } });
  const directory = join(folder, "functions/index.func");
  writeFiles(directory, { ".vc-config.json": built, "index.mjs": "" });
  const file = join(directory, ".vc-config.json");
  await nameRuntime(folder, "the adapter takes no newer one");
  const reason = "nodejs24.x: the adapter takes no newer one";
  const environment = { A: "1", EVENBENCH_FUNCTION_RUNTIME: reason };
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ ...built, environment });
  await nameRuntime(folder, undefined);
  expect(JSON.parse(await readFile(file, "utf8")).runtime).toBe("nodejs26.x");
});
