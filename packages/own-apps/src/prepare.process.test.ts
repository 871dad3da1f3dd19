import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gitIn, testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { beforeEach, expect, test, vi } from "vitest";
import { readEnvironment } from "./environment.ts";
import { sourceFiles } from "./files.ts";
import { changedBetween, stateOf } from "./folder-state.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { readOf } from "./read.ts";
import { readAppSource } from "./source.ts";

const root = realpathSync(testFolder());
const app = join(root, "app");
const PACKAGE = "node_modules/one/index.js";
const git = gitIn(app);

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", join(root, "cache"));
  rmSync(root, { recursive: true, force: true });
  writeFiles(app, { "package.json": "{}", "index.mjs": "one", ".env": "NAMED=1", [PACKAGE]: "one" });
  // As a package manager's store has it.
  writeFiles(root, { "target/file": "one", "store/two.js": "two" });
  symlinkSync("../target", join(app, "linked"));
  mkdirSync(join(app, "node_modules/two"));
  linkSync(join(root, "store/two.js"), join(app, "node_modules/two/index.js"));
  for (const file of [PACKAGE, "node_modules/two/index.js"]) {
    utimesSync(join(app, file), 1, 1);
  }
  for (const words of [
    ["init", "-q"],
    ["add", "index.mjs"],
    ["commit", "-qm", "first"],
  ]) {
    git(...words);
  }
});

/** Looks at the app as before a build of it. */
async function looked(build: string | null = null): Promise<Prepared> {
  const environment = readEnvironment([app], []);
  const source = await readAppSource(app, environment.variables);
  const found = { source, environment, found: [], ownBuild: null };
  return prepare(found, stateOf(app), { platforms: [], build, isStarted: false });
}

/** Gives the folder of the app's build, whose name is the digest of all that it is made of. */
async function placeOfBuild(build: string | null = null): Promise<string> {
  return (await looked(build)).place;
}

/** Writes other content of the same length, and sets the time back. */
function rewriteSecretly(file: string): void {
  writeFileSync(file, "eno");
  utimesSync(file, 1, 1);
}

const inApp = (path: string) => join(app, path);

test.each<[string, string | null, () => unknown]>([
  ["a source", "index.mjs", () => appendFileSync(inApp("index.mjs"), "two")],
  ["a file that is added", "more.mjs", () => writeFileSync(inApp("more.mjs"), "")],
  ["a mode", "index.mjs", () => chmodSync(inApp("index.mjs"), 0o700)],
  ["a variable", ".env", () => writeFileSync(inApp(".env"), "NAMED=2")],
  ["what a link leads to", null, () => writeFileSync(join(root, "target/file"), "two")],
  ["a package", PACKAGE, () => appendFileSync(inApp(PACKAGE), "two")],
  ["a package whose time is set back", PACKAGE, () => rewriteSecretly(inApp(PACKAGE))],
  ["a time of a package", PACKAGE, () => utimesSync(inApp(PACKAGE), 2, 2)],
  [
    "a package with several names whose time is set back",
    null,
    () => rewriteSecretly(inApp("node_modules/two/index.js")),
  ],
  ["a tag", null, () => git("tag", "v1")],
  ["a branch", null, () => git("checkout", "-qb", "other")],
  ["a variable that all tools get", null, () => vi.stubEnv("LANG", "xx")],
])("a build is made anew after a change of %s, which is seen in the folder", async (_, seen, change) => {
  const before = await placeOfBuild();
  expect(await placeOfBuild()).toBe(before);
  const state = stateOf(app);
  change();
  expect(await placeOfBuild()).not.toBe(before);
  expect(changedBetween(state, stateOf(app))).toEqual(seen === null ? [] : [inApp(seen)]);
});

test("a build is used again where another name of a package's file comes or goes, and not by another command", async () => {
  // A pipe with two names is not waited for.
  execFileSync("mkfifo", [inApp("node_modules/pipe")]);
  linkSync(inApp("node_modules/pipe"), inApp("node_modules/piped"));
  const before = await placeOfBuild();
  linkSync(join(root, "store/two.js"), join(root, "store/another.js"));
  expect(await placeOfBuild()).toBe(before);
  expect(await placeOfBuild("npm run build")).not.toBe(before);
});

test.each<[string, () => unknown]>([
  ["settings of npm", () => writeFileSync(inApp(".npmrc"), "omit=dev")],
  ["a variable", () => writeFileSync(inApp(".env"), "NAMED=2")],
  ["a patch", () => writeFiles(app, { "patches/one.patch": "one" })],
  ["what a script of the installation may read", () => appendFileSync(inApp("index.mjs"), "two")],
])("packages that the copy installs are made anew after a change of %s", async (_, change) => {
  const manifest = { dependencies: { absent: "1.0.0" }, scripts: { postinstall: "node index.mjs" } };
  writeFiles(app, { "package.json": manifest });
  const { packagesKey } = await looked();
  change();
  expect((await looked()).packagesKey).not.toBe(packagesKey);
});

test("packages stay those of the app after a change of a source, whatever bytes a file named like a lock has", async () => {
  writeFiles(app, { "package.json": { dependencies: { absent: "1.0.0" } }, "clock.bin": "\0" });
  const { packagesKey } = await looked();
  appendFileSync(inApp("index.mjs"), "two");
  expect((await looked()).packagesKey).toBe(packagesKey);
});

test("what is tracked is copied whatever .gitignore says, and a working tree has the patterns of its repository", async () => {
  writeFiles(app, { ".gitignore": "lib/\n", "lib/tracked.mjs": "", "lib/other.mjs": "" });
  git("add", "-f", "lib/tracked.mjs");
  git("commit", "-qm", "second");
  writeFiles(app, { ".git/info/exclude": "secret\n" });
  const tree = join(root, "tree");
  git("worktree", "add", "-q", tree);
  for (const folder of [app, tree]) {
    writeFiles(folder, { secret: "" });
    const { files, ignored } = sourceFiles({ workspace: folder, folder });
    expect(files.map(({ path }) => path)).toContain("lib/tracked.mjs");
    expect(ignored).toEqual(folder === app ? ["lib/other.mjs", "secret"] : ["secret"]);
  }
  // An output is an app, though a file keeps its folder in the repository.
  const output = { workspace: inApp("lib"), folder: inApp("lib") };
  expect(sourceFiles(output).files.map(({ path }) => path)).toEqual(["other.mjs", "tracked.mjs"]);
});

test("a file with holes, which a copy would fill, is refused before it is read", async () => {
  truncateSync(inApp("index.mjs"), 6 * 1024 ** 3);
  await expect(looked()).rejects.toThrow(/more than 4 GB of files: index\.mjs has 6442450944 bytes/);
});

test.each([
  ["package.json", '{ "engines": { "node": "18" } }', "engines.node 18"],
  ["package.json", '{ "volta": { "node": "18.1.0" } }', "volta.node 18.1.0"],
  [
    "package.json",
    '{ "devEngines": { "runtime": { "name": "node", "version": "18" } } }',
    "devEngines.runtime 18",
  ],
  [".nvmrc", "18 # for all", "its version 18"],
  [".node-version", "v18.1.0", "its version v18.1.0"],
  [".tool-versions", "python 3\nnodejs 18.1.0", "its version 18.1.0"],
  ["mise.toml", '[tools]\nnode = "18"\n', "its version 18"],
  ["mise.toml", '[env]\nnode = "20"\n[tools.node]\nversion = "18"\n', "its version 18"],
  [".mise.toml", '[tools]\nnodejs = ["18", "20"]\n', "its version 18"],
  [".prototools", 'node = "18"\n', "its version 18"],
  [".prototools", "node = ", "its version that cannot be read"],
  ["pnpm-workspace.yaml", "useNodeVersion: 18.1.0\n", "its version 18.1.0"],
  [".npmrc", "audit=false\nuse-node-version=18.1.0\n", "its version 18.1.0"],
  ["package-lock.json", "{}", "its versions"],
  [".env", "PORT=3000", "PORT"],
  ["../package.json", "{", "all of it"],
])("of %s with %j what does not apply is named: %s", async (file, content, what) => {
  writeFiles(app, { [file]: content });
  const read = readOf(await looked(), { read: [], lost: [], finishedFor: [] }, []);
  const named = read.filter((each) => each.file === file).flatMap(({ notApplied }) => notApplied);
  expect(named.map((each) => each.what)).toContain(what);
});
