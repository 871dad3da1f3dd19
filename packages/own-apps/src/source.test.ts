import { realpathSync } from "node:fs";
import { join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { ownBuildOf, unknownApp } from "./find-frameworks.ts";
import { installCommand, missingPackages } from "./install.ts";
import { folderOf, readAppSource } from "./source.ts";

const root = testFolder();

/** Writes files below a folder of the test, and gives its real path back. */
function place(name: string, files: Readonly<Record<string, string | object>>): string {
  return realpathSync(writeFiles(join(root, name), files));
}

test.each([
  ["pnpm-lock.yaml", "pnpm", "10.0.0", "pnpm --ignore-workspace install --frozen-lockfile"],
  ["package-lock.json", "npm", "11.0.0", "npm ci --prefix {} --no-audit --no-fund"],
  ["yarn.lock", "yarn", "1.22.22", "yarn install --frozen-lockfile --ignore-engines"],
  ["yarn.lock", "yarn", "4.18.1", "yarn install --immutable"],
  ["bun.lock", "bun", "1.4.4", "bun install --backend=copyfile --frozen-lockfile"],
])("packages are installed by the lock file %s, by %s %s", async (lockFile, name, version, command) => {
  const folder = place(`lock-${name}`, { "package.json": "{}", [lockFile]: "" });
  const source = await readAppSource(folder);
  expect(source).toMatchObject({ packageManager: name, managerVersion: null });
  const manager = { name: source.packageManager, version, folder: null };
  expect(installCommand(source, manager, true).join(" ")).toBe(command.replace("{}", folder));
});

test.each([
  ["where there is no lock file", "pnpm@10.0.0", [], ["pnpm", "10.0.0"]],
  ["by its version without the digest", "pnpm@9.1.0+sha512.0", ["pnpm-lock.yaml"], ["pnpm", "9.1.0"]],
  ["of several lock files", "npm@10.0.0", ["yarn.lock", "package-lock.json"], ["npm", "10.0.0"]],
  ["not where another one's lock file is alone", "yarn@4.0.0", ["package-lock.json"], ["npm", null]],
  ["without a version that is none", "yarn@stable", ["yarn.lock"], ["yarn", null]],
])(
  "the package manager that package.json names counts %s",
  async (what, packageManager, lockFiles, found) => {
    const locks = Object.fromEntries(lockFiles.map((name) => [name, ""]));
    const folder = place(`named ${what}`, { "package.json": JSON.stringify({ packageManager }), ...locks });
    const source = await readAppSource(folder);
    expect([source.packageManager, source.managerVersion]).toEqual(found);
  },
);

test("an app below a pnpm workspace with a lock file is a part of it, and is installed alone with what it needs", async () => {
  const workspace = place("pnpm-workspace", {
    "pnpm-workspace.yaml": "packages: [apps/*]\n",
    "pnpm-lock.yaml": "",
    "apps/web/package.json": '{ "dependencies": { "shared": "workspace:*" } }',
  });
  const source = await readAppSource(join(workspace, "apps/web"));
  expect(source).toMatchObject({ workspace, folder: join(workspace, "apps/web"), packageManager: "pnpm" });
  // Pnpm takes an absolute path for one below the workspace, and matches nothing.
  const manager = { name: source.packageManager, version: "10.0.0", folder: null };
  expect(installCommand(source, manager, true)).toContain("{apps/web}...");
});

/** A list of YAML that has a billion parts, each of which is the one before nine times. */
const LAUGHS = ["a: &a [x]", ..."bcdefghi"]
  .map((line, at, { [at - 1]: before = "" }) =>
    at === 0 ? line : `${line}: &${line} [${Array(9).fill(`*${before[0]}`)}]`,
  )
  .join("\n");

test.each([
  ["alternatives", "package.json", JSON.stringify({ workspaces: ["{a,b}".repeat(40)] }), "too long"],
  ["stars", "package.json", JSON.stringify({ workspaces: [`apps/${"*x".repeat(40)}*y`] }), "too long"],
  ["letters", "package.json", JSON.stringify({ workspaces: ["a".repeat(70_000)] }), "too long"],
  ["a range", "package.json", '{ "workspaces": ["{1..999999999}"] }', "too long"],
  ["alternatives in YAML", "pnpm-workspace.yaml", `packages: ["${"{a,b}".repeat(40)}"]`, "too long"],
  ["references", "pnpm-workspace.yaml", `${LAUGHS}\npackages: *i`, "alias count"],
  ["no YAML", "pnpm-workspace.yaml", 'packages: ["*/*"\nb: {', "cannot be read: Flow sequence"],
  ["no JSON", "package.json", "{", "no JSON"],
  ["members that are a text", "package.json", '{ "workspaces": "apps/*" }', "workspaces: "],
])("a workspace above an app, with %s, is passed over, and said", async (what, file, text, why) => {
  const member = `apps/${"x".repeat(120)}`;
  const workspace = place(`broken ${what}`, { [file]: text, [`${member}/package.json`]: "{}" });
  const { root, folder, passedOver } = await readAppSource(join(workspace, member));
  expect(root).toBe(folder);
  const notApplied = [{ what: "all of it", why: expect.stringContaining(why) }];
  expect(passedOver).toEqual([{ file: join("../..", file), applied: [], notApplied }]);
});

test("of a package.json above an app the workspace counts, whatever else of it is broken", async () => {
  const workspace = place("half broken", {
    "package.json": { engines: ["node"], scripts: 7, workspaces: { packages: ["apps/*"] } },
    "apps/web/package.json": "{}",
  });
  const source = await readAppSource(join(workspace, "apps/web"));
  expect(source).toMatchObject({ root: workspace, passedOver: [] });
});

test("a package manager that the package.json of pnpm's workspace cannot name is passed over, and said", async () => {
  const workspace = place("broken pin", {
    "pnpm-workspace.yaml": "packages: [apps/*]",
    "package.json": { packageManager: { name: "pnpm" } },
    "apps/web/package.json": "{}",
  });
  const source = await readAppSource(join(workspace, "apps/web"));
  expect(source).toMatchObject({ root: workspace, packageManager: "pnpm", managerVersion: null });
  expect(source.passedOver.map(({ file }) => file)).toEqual(["../../package.json"]);
});

test("a package is missing that is not installed, and not one that names no version", async () => {
  const folder = place("not-installed", {
    "package.json": '{ "dependencies": { "member": "workspace:*", "other": "1.0.0" } }',
    "node_modules/member/package.json": '{ "name": "member" }',
  });
  expect(missingPackages(await readAppSource(folder))).toEqual(["other"]);
});

test("a folder that the workspaces of package.json name is a part of them, and another one is not", async () => {
  const workspace = place("npm-workspace", {
    "package.json": '{ "workspaces": ["apps/*"] }',
    "package-lock.json": "{}",
    "apps/web/package.json": "{}",
    "other/package.json": "{}",
  });
  expect((await readAppSource(join(workspace, "apps/web"))).workspace).toBe(workspace);
  const other = await readAppSource(join(workspace, "other"));
  expect(other.workspace).toBe(other.folder);
});

test("what reads files outside of its folder belongs to the repository, and to nothing above that", async () => {
  const files = { "shared/word.mjs": "", "app/index.mjs": 'import "../shared/word.mjs";' };
  const repository = place("repository", { ".git/HEAD": "", ...files });
  expect(await readAppSource(join(repository, "app"))).toMatchObject({
    workspace: repository,
    unreached: null,
  });
  // A Worker as Vite's plugin builds it has its files beside its own folder.
  const built = { "build/client/a.css": "", "build/server/wrangler.json": '{ "directory": "../client" }' };
  const output = place("output", { ".git/HEAD": "", ".gitignore": "build\n", ...built });
  expect((await readAppSource(join(output, "build/server"))).workspace).toBe(output);
  const loose = place("loose", files);
  const app = join(loose, "app");
  const unreached = join(loose, "shared/word.mjs");
  expect(await readAppSource(app)).toMatchObject({ workspace: app, unreached });
});

test.each([
  ["of other members", "packages: [other/*]\n"],
  ["of settings alone", "onlyBuiltDependencies: [esbuild]\n"],
  ["that leaves it out", "packages: ['*', '!app']\n"],
  ["that is no YAML", "packages: [\n"],
])("a pnpm-workspace.yaml above an app, %s, is not the app's", async (what, text) => {
  const above = place(`stray ${what}`, {
    "pnpm-workspace.yaml": text,
    "package.json": "{}",
    ".ssh/id_rsa": "",
    "node_modules/one/index.js": "",
    "app/package.json": "{}",
  });
  const app = join(above, "app");
  expect(await readAppSource(app)).toMatchObject({ workspace: app, root: app, packageManager: "npm" });
});

test("a lock file of its own makes an app below a workspace stand alone", async () => {
  const workspace = place("own-lock", {
    "pnpm-workspace.yaml": "packages: [apps/*]\n",
    "pnpm-lock.yaml": "",
    "apps/web/package.json": "{}",
    "apps/web/package-lock.json": "{}",
  });
  const source = await readAppSource(join(workspace, "apps/web"));
  expect(source).toMatchObject({ workspace: source.folder, packageManager: "npm" });
});

test.each([
  ["a folder that is not there", "missing", "There is no folder"],
  ["a file", "broken/package.json", "is no folder"],
])("%s is refused in one line", async (_, path, words) => {
  place("broken", { "package.json": "{" });
  await expect(folderOf(join(root, path))).rejects.toThrow(words);
});

test.each([
  ["no JSON", "{", /it is no JSON/],
  ["a list", "[]", /its content/],
  ["a package manager that is a number", '{ "packageManager": 7 }', /packageManager:/],
  ["dependencies that are a list", '{ "dependencies": ["next"] }', /dependencies:/],
  ["a range that is a number", '{ "devDependencies": { "next": 5 } }', /devDependencies\.next:/],
  ["a name that is an object", '{ "name": {} }', /name:/],
  ["a script that is none", '{ "scripts": { "start": null } }', /scripts\.start:/],
  ["members that are a text", '{ "workspaces": "apps/*" }', /workspaces:/],
  ["a main module that is a list", '{ "main": ["a.js"] }', /main:/],
  ["a runtime without words", '{ "devEngines": { "runtime": 24 } }', /devEngines\.runtime:/],
])("a package.json with %s is refused in one line", async (what, text, reason) => {
  const folder = place(`wrong ${what}`, { "package.json": text });
  await expect(readAppSource(folder)).rejects.toThrow(reason);
});

test.each([
  '{ "engines": ["node >=18"] }',
  '{ "engines": "node 18", "volta": { "node": 18 } }',
  '{ "engines": 18, "version": 1, "peerDependencies": null }',
])("%s is taken by npm, and here", async (text) => {
  const { packageJson } = await readAppSource(place(`engines ${text.length}`, { "package.json": text }));
  expect(packageJson?.engines).toEqual({});
});

test("a workspace whose own folder is no app is not built: its members are named", async () => {
  const folder = place("members", {
    "package.json":
      '{ "workspaces": ["packages/*", "!packages/old"], "scripts": { "build": "turbo build" } }',
    "pnpm-workspace.yaml": "packages: [apps/*]",
    "apps/web/package.json": "{}",
    "apps/notes.txt": "",
    "packages/ui/package.json": "{}",
    "packages/old/package.json": "{}",
    "node_modules/apps/other/package.json": "{}",
  });
  const source = await readAppSource(folder);
  expect(ownBuildOf(source, [])).toBeNull();
  const scripts = { build: "tsc", start: "node dist/server.js" };
  const started = { ...source, packageJson: { ...source.packageJson, scripts } };
  expect(ownBuildOf(started, [])).toHaveLength(1);
  expect((await unknownApp(source)).message).toMatch(/it has apps\/web, packages\/ui\.$/);
});
