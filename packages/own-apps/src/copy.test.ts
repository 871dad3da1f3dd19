import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { copySources, linkModules } from "./copy.ts";
import { changedBetween, digestOf, sourceFiles, stateOf } from "./files.ts";
import { removeOldCopies } from "./kept-builds.ts";

const root = testFolder();

function write(path: string, content = path): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

test("a copy has the sources, without what tools made, and packages as hard links", async () => {
  const user = join(root, "user");
  write("user/package.json", "{}");
  write("user/src/index.ts");
  write("user/.gitignore", "/dist/\n");
  for (const output of [".next", "dist", ".git", "node_modules/.cache", ".wrangler"]) {
    write(`user/${output}/file`);
  }
  write("user/build/kept.js");
  write("user/node_modules/one/index.js");
  write("user/node_modules/.package-lock.json", "{}");
  symlinkSync("../src", join(user, "node_modules/linked"));
  const before = await stateOf(user);
  const files = await sourceFiles(user);
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual([".gitignore", "build/kept.js", "package.json", "src/index.ts"]);
  const kept = await sourceFiles(user, [join(user, "dist")]);
  expect(kept.map(({ path }) => path)).toContain("dist/file");

  const copy = join(root, "copy");
  await copySources(user, files, copy);
  await linkModules(user, copy);
  const inode = (path: string) => statSync(join(root, path)).ino;
  expect(inode("copy/node_modules/one/index.js")).toBe(inode("user/node_modules/one/index.js"));
  // npm writes this one in place.
  expect(inode("copy/node_modules/.package-lock.json")).not.toBe(
    inode("user/node_modules/.package-lock.json"),
  );
  expect(readlinkSync(join(copy, "node_modules/linked"))).toBe("../src");
  expect(existsSync(join(copy, "node_modules/.cache"))).toBe(false);
  writeFileSync(join(copy, "src/index.ts"), "changed");
  expect(readFileSync(join(user, "src/index.ts"), "utf8")).toBe("user/src/index.ts");
  expect(changedBetween(before, await stateOf(user))).toEqual([]);
});

test("what is written into a user's folder is seen: through a hard link, too, and a file that is new", async () => {
  write("seen/node_modules/one/index.js", "one");
  const user = join(root, "seen");
  const copy = join(root, "seen-copy");
  utimesSync(join(user, "node_modules/one/index.js"), 1, 1);
  const before = await stateOf(user);
  await linkModules(user, copy);
  appendFileSync(join(copy, "node_modules/one/index.js"), "two");
  write("seen/new.txt");
  const changed = changedBetween(before, await stateOf(user));
  expect(changed).toEqual([join(user, "new.txt"), join(user, "node_modules/one/index.js")]);
});

test("a digest is of paths and contents", async () => {
  write("digest/a", "1");
  const folder = join(root, "digest");
  const first = await digestOf(folder, await sourceFiles(folder));
  expect(await digestOf(folder, await sourceFiles(folder))).toBe(first);
  write("digest/a", "2");
  const second = await digestOf(folder, await sourceFiles(folder));
  write("digest/b", "");
  const third = await digestOf(folder, await sourceFiles(folder));
  expect(new Set([first, second, third]).size).toBe(3);
});

test("of copies the six that were used last stay, and all that may be in use", async () => {
  const folder = join(root, "copies");
  for (let index = 0; index < 9; index++) {
    mkdirSync(join(folder, `app-${index}`), { recursive: true });
    utimesSync(join(folder, `app-${index}`), 1000 + index, 1000 + index);
  }
  await removeOldCopies(folder, 1008_000);
  expect(await readdir(folder)).toHaveLength(9);
  await removeOldCopies(folder, 1e9);
  expect((await readdir(folder)).sort()).toEqual(["app-3", "app-4", "app-5", "app-6", "app-7", "app-8"]);
});
