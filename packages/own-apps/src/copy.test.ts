import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test, vi } from "vitest";
import { Copier } from "./copy.ts";
import { modulesFolders, sourceFiles } from "./files.ts";
import { changedBetween, stateOf } from "./folder-state.ts";

const root = realpathSync(testFolder());

const write = (path: string, content = path) => void writeFiles(root, { [path]: content });

/** Makes a private copy of a folder of the test. */
async function copyOf(name: string) {
  const workspace = join(root, name);
  const copy = join(root, `${name}-place/copy`);
  const list = sourceFiles({ workspace, folder: workspace });
  const copier = new Copier({ workspace, copy, outside: join(root, `${name}-place/outside`) });
  await copier.copySources(list.files, () => {});
  await copier.copyModules(modulesFolders(list, workspace), () => {});
  return { workspace, copy, list, lost: copier.lost };
}

const pathsOf = (workspace: string, app = workspace, kept: readonly string[] = []) =>
  sourceFiles({ workspace, folder: app }, kept).files.map(({ path }) => path);

const outside = (path: string) => join("outside", root, path);

const OF_SYSTEM = "leads to processes or devices";

/** Links in a folder, with where each ends in the place of its copy, or why the copy has none. */
const LINKS = [
  ["node_modules/linked", "../src", "copy/src"],
  ["node_modules/lib", "../../lib", outside("lib")],
  ["node_modules/two", join(root, "store/node_modules/two"), outside("store/node_modules/two")],
  ["relative", "../file.txt", outside("file.txt")],
  ["absolute", join(root, "file.txt"), outside("file.txt")],
  ["by another link", "relative", outside("file.txt")],
  ["absolute to its own", join(root, "user/src"), "copy/src"],
  ["out and in again", "../user/src", "copy/src"],
  ["src/up", "..", "copy"],
  ["to its own folder", "../user", "copy"],
  ["absolute to its own folder", join(root, "user"), "copy"],
  ["above", root, "leads to a folder above the app"],
  ["nowhere", "../nowhere", "leads nowhere"],
  ["dangling", "nowhere", "ENOENT"],
  ["of processes", "/proc/self/fd", OF_SYSTEM],
  ["of another process's folder", "/proc/self/cwd", OF_SYSTEM],
  ["a device", "/dev/zero", OF_SYSTEM],
  ["itself", "itself", "ELOOP"],
] as const;

test("a copy shares nothing with the folder: no inode, no mode, no link that leads back or out", async () => {
  write("user/src/index.ts");
  write("user/node_modules/one/index.js");
  write("user/node_modules/.package-lock.json", "{}");
  write("user/node_modules/.cache/file");
  write("lib/index.js", "lib");
  write("store/node_modules/two/index.js", "two");
  write("store/node_modules/three/index.js", "three");
  write("file.txt", "outside");
  linkSync(join(root, "user/src/index.ts"), join(root, "user/src/another-name.ts"));
  for (const [at, to] of LINKS) {
    symlinkSync(to, join(root, "user", at));
  }
  const before = stateOf(root);
  const { workspace, copy, lost } = await copyOf("user");
  const endOf = (at: string) => {
    try {
      return relative(dirname(copy), realpathSync(join(copy, at)));
    } catch (error) {
      const why = lost.find(({ path }) => path === join(workspace, at))?.why;
      return why ?? (error as NodeJS.ErrnoException).code;
    }
  };
  expect(LINKS.map(([at]) => [at, endOf(at)])).toEqual(LINKS.map(([at, , ends]) => [at, ends]));
  const files = [
    "src/index.ts",
    "src/another-name.ts",
    "node_modules/one/index.js",
    "node_modules/.package-lock.json",
  ];
  for (const path of files) {
    expect(statSync(join(copy, path)).ino).not.toBe(statSync(join(workspace, path)).ino);
    expect(statSync(join(copy, path)).nlink).toBe(1);
    chmodSync(join(copy, path), 0o600);
  }
  for (const path of [...files, "relative", "node_modules/lib/index.js", "node_modules/two/index.js"]) {
    appendFileSync(join(copy, path), "written");
  }
  // A package finds its own dependencies beside itself.
  const two = realpathSync(join(copy, "node_modules/two"));
  expect(readFileSync(join(two, "../three/index.js"), "utf8")).toBe("three");
  expect(readlinkSync(join(copy, "node_modules/linked"))).toBe("../src");
  expect(existsSync(join(copy, "node_modules/.cache"))).toBe(false);
  const inFolder = changedBetween(before, stateOf(root)).filter((path) => !path.includes("user-place"));
  expect(inFolder).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a file whose name is no text is named, and stops nothing",
  async () => {
    const names = ["named/src/a", "named/node_modules/one/b"];
    for (const name of names) {
      write(name);
      const path = Buffer.concat([Buffer.from(join(root, name)), Buffer.from([0xff])]);
      writeFileSync(path, "");
    }
    const { workspace, copy, list, lost } = await copyOf("named");
    expect(list.unreadable).toEqual(["src/a\uFFFD"]);
    expect(lost.map(({ path }) => path)).toEqual([join(workspace, "node_modules/one/b\uFFFD")]);
    expect(existsSync(join(copy, "src/a")) && existsSync(join(copy, "node_modules/one/b"))).toBe(true);
  },
);

test.each([
  ["/build/\n/out/", ["build/x"], ["lib/build/x"]],
  ["dist/\n!dist/", [], ["dist/x"]],
  ["**/dist/\ndata/\n*.bin", ["a/dist/x", "data/x", "b/x.bin"], ["b/x"]],
  ["*.log\n!keep.log", ["a/x.log"], ["keep.log"]],
  ["# a comment\n\\#file\nfoo\\ ", ["#file"], ["a comment"]],
  ["src/*\n!src/kept", ["src/x"], ["src/kept/x"]],
  [".env\npackage-lock.json\nwrangler.toml", [], [".env", "package-lock.json", "wrangler.toml"]],
])("of a folder whose .gitignore is %j, Git's files are copied", (text, ignored, kept) => {
  const name = `ignored-${Buffer.from(text).toString("hex")}`;
  write(`${name}/.gitignore`, text);
  for (const path of [...ignored, ...kept]) {
    write(`${name}/${path}`);
  }
  expect(pathsOf(join(root, name))).toEqual([".gitignore", ...kept].sort());
});

test("patterns of the folders above, up to the root of the repository, and of .git/info/exclude count", () => {
  write("repository/.git/info/exclude", "secret\n");
  write("repository/.gitignore", "made\n");
  write("repository/app/.gitignore", "!made/kept\n");
  for (const path of ["secret", "made/x", "src/x"]) {
    write(`repository/app/${path}`);
  }
  expect(pathsOf(join(root, "repository/app"))).toEqual([".gitignore", "src/x"]);
  // The user's own file for all repositories, in its usual place.
  write("settings/git/ignore", "src\n");
  vi.stubEnv("XDG_CONFIG_HOME", join(root, "settings"));
  expect(pathsOf(join(root, "repository/app"))).toEqual([".gitignore"]);
  // A folder that is left out itself, such as a finished output, is no part of the repository.
  write("repository/made/worker/index.js");
  expect(pathsOf(join(root, "repository/made/worker"))).toEqual(["index.js"]);
});

test("what was built of other members of a workspace stays, and what a framework keeps, with its packages", () => {
  const workspace = join(root, "workspace");
  write("workspace/.gitignore", "dist\ndata\n");
  write("workspace/apps/web/dist/old.js");
  write("workspace/apps/web/.vercel/output/functions/a.func/node_modules/one/index.js");
  write("workspace/packages/ui/package.json", '{ "main": "./dist/ui.js" }');
  write("workspace/packages/ui/dist/ui.js");
  write("workspace/packages/ui/data/large");
  write("workspace/packages/odd/package.json/a-folder");
  const app = join(workspace, "apps/web");
  const odd = "packages/odd/package.json/a-folder";
  const members = [odd, "packages/ui/dist/ui.js", "packages/ui/package.json"];
  expect(pathsOf(workspace, app)).toEqual([".gitignore", ...members]);
  expect(pathsOf(workspace, app, [join(app, "dist"), join(app, ".vercel/output")])).toEqual([
    ".gitignore",
    "apps/web/.vercel/output/functions/a.func/node_modules/one/index.js",
    "apps/web/dist/old.js",
    ...members,
  ]);
});
