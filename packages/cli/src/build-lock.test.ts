import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { underBuildLock } from "./build-lock.ts";

test("a clone in which the lock cannot be written is named with what works there, and nothing is built", async () => {
  const clone = testFolder();
  await writeFile(join(clone, "node_modules"), "");
  const built: string[] = [];
  const building = underBuildLock(
    async () => {
      built.push("it");
    },
    undefined,
    clone,
  );
  await expect(building).rejects.toThrow(
    /^Nothing can be built in .*build\.lock cannot be written \(ENOTDIR: .*\)\. Build in a clone of your own, or use the last build \(--no-build\)/,
  );
  expect(built).toEqual([]);
});

test("what a build throws stays as it is", async () => {
  const clone = testFolder();
  const building = underBuildLock(() => Promise.reject(new Error("the build's own")), undefined, clone);
  await expect(building).rejects.toThrow(/^the build's own$/);
});
