import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryToHold } from "@evenbench/host/exclusively";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { holdBuild, lockOf, notePackages, removeOldBuilds, takeOverPackages } from "./kept-builds.ts";

const root = testFolder();

test("builds are removed until they have no more than the limit, the oldest first, and none that is used", async () => {
  const apps = join(root, "limit");
  for (const [index, name] of ["used", "old", "new"].entries()) {
    writeFiles(apps, { [`${name}/build/file`]: "x".repeat(1000) });
    utimesSync(join(apps, name, "build"), 1000 + index, 1000 + index);
  }
  await holdBuild(join(apps, "used/build"));
  utimesSync(join(apps, "used/build"), 1, 1);
  await removeOldBuilds(join(apps, "new"), 2500);
  const left = readdirSync(apps).filter((name) => existsSync(join(apps, name, "build")));
  expect(left.sort()).toEqual(["new", "used"]);
});

test("a build that another command is making is neither counted nor removed", async () => {
  const apps = join(root, "making");
  for (const name of ["made", "own"]) {
    writeFiles(apps, { [`${name}/build/file`]: "x".repeat(1000) });
  }
  {
    using _ = await tryToHold(lockOf(join(apps, "made")), "alone");
    await removeOldBuilds(join(apps, "own"), 1);
  }
  expect(readdirSync(join(apps, "made/build"))).toEqual(["file"]);
  expect(existsSync(join(apps, "own/build"))).toBe(false);
});

test.each([
  ["moves to the next build of the same packages", "key", null, true],
  ["stays where the packages are others", "other", null, false],
  ["stays where a build has written into it", "key", "written", false],
])("a folder of packages %s", async (what, key, written, isMoved) => {
  const builds = join(root, what);
  const packages = writeFiles(join(builds, "first/copy/node_modules"), {
    "one/index.js": "one",
    ".vite/made": "",
  });
  const file = join(packages, "one/index.js");
  await notePackages(join(builds, "first"), "key", ["node_modules"]);
  const { ino } = statSync(file);
  if (written !== null) {
    writeFileSync(file, written);
  }
  expect(await takeOverPackages(join(builds, "second"), key)).toBe(isMoved);
  expect(existsSync(join(builds, "first"))).toBe(!isMoved);
  const moved = join(builds, "second/copy/node_modules");
  expect(existsSync(moved)).toBe(isMoved);
  if (isMoved) {
    expect(statSync(join(moved, "one/index.js")).ino).toBe(ino);
    expect(readdirSync(moved)).toEqual(["one"]);
  }
});
