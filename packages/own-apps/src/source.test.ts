import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { installCommand, pinOwnPnpm } from "./install.ts";
import { readAppSource } from "./source.ts";

const root = testFolder();

/** Writes files below a folder of the test, and gives its real path back. */
function place(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return realpathSync(folder);
}

test.each([
  ["pnpm-lock.yaml", "pnpm", "pnpm install --frozen-lockfile"],
  ["package-lock.json", "npm", "npm ci --no-audit --no-fund"],
  ["yarn.lock", "yarn", "yarn install --frozen-lockfile"],
])("packages are installed by the lock file %s", async (lockFile, manager, command) => {
  const folder = place(`lock-${manager}`, { "package.json": "{}", [lockFile]: "" });
  const source = await readAppSource(folder);
  expect(source.packageManager).toBe(manager);
  expect((await installCommand(source, source.packageManager)).join(" ")).toBe(command);
});

test("a newer yarn is known by its lock file", async () => {
  const folder = place("berry", { "package.json": "{}", "yarn.lock": "__metadata:\n  version: 8\n" });
  const source = await readAppSource(folder);
  expect((await installCommand(source, source.packageManager)).join(" ")).toBe("yarn install --immutable");
});

test("the package manager that package.json names installs where there is no lock file", async () => {
  const folder = place("named", { "package.json": '{ "packageManager": "pnpm@10.0.0" }' });
  expect((await readAppSource(folder)).packageManager).toBe("pnpm");
});

test("an app below a pnpm workspace with a lock file is a part of it, and is installed alone with what it needs", async () => {
  const workspace = place("pnpm-workspace", {
    "pnpm-workspace.yaml": "packages: [apps/*]\n",
    "pnpm-lock.yaml": "",
    "apps/web/package.json": '{ "dependencies": { "shared": "workspace:*" } }',
  });
  const source = await readAppSource(join(workspace, "apps/web"));
  expect(source).toMatchObject({ workspace, folder: join(workspace, "apps/web"), packageManager: "pnpm" });
  // Pnpm takes an absolute path for one below the workspace, and matches nothing.
  expect(await installCommand(source, "pnpm")).toContain("{apps/web}...");
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

test("a workspace that pins and installs nothing is left out, unless the app asks for a part of it", async () => {
  const workspace = place("loose", {
    "package.json": '{ "workspaces": ["*"] }',
    "alone/package.json": '{ "dependencies": { "hono": "^4.0.0" } }',
    "part/package.json": '{ "dependencies": { "shared": "workspace:*" } }',
  });
  const alone = await readAppSource(join(workspace, "alone"));
  expect(alone.workspace).toBe(alone.folder);
  expect((await readAppSource(join(workspace, "part"))).workspace).toBe(workspace);
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
  ["a package.json that is no JSON", "broken", "is no JSON object"],
])("%s is refused in one line", async (_, path, words) => {
  place("broken", { "package.json": "{" });
  await expect(readAppSource(join(root, path))).rejects.toThrow(words);
});

test.each([
  ["with the lock file that all of them read", "pnpm@10.20.0", "lockfileVersion: '9.0'\n", true],
  ["without a lock file", "pnpm@10.20.0+sha512.0", null, true],
  ["of this machine's version", "pnpm@11.1.0+sha512.0", null, false],
  ["with an older lock file", "pnpm@8.7.0", "lockfileVersion: '6.0'\n", false],
  ["of another manager", "yarn@4.0.0", "lockfileVersion: '9.0'\n", false],
])(
  "a pin of pnpm %s becomes that of this machine's in a copy",
  async (what, packageManager, lock, isChanged) => {
    const devEngines = { packageManager: { name: "pnpm" }, runtime: { name: "node" } };
    const manifest = { name: "shop", packageManager, devEngines, scripts: { postinstall: "pnpm build" } };
    const workspace = place(`pin ${what}`, {
      "package.json": JSON.stringify(manifest),
      ...(lock === null ? {} : { "pnpm-lock.yaml": lock }),
    });
    const readBack = () => JSON.parse(readFileSync(join(workspace, "package.json"), "utf8"));
    const version = async () => "11.1.0";
    expect(await pinOwnPnpm(workspace, "npm", version)).toBe(false);
    expect(readBack()).toEqual(manifest);
    expect(await pinOwnPnpm(workspace, "pnpm", version)).toBe(isChanged);
    const pinned = { ...manifest, packageManager: "pnpm@11.1.0", devEngines: { runtime: { name: "node" } } };
    expect(readBack()).toEqual(isChanged ? pinned : manifest);
  },
);

test.each([
  ["a list", "[]", /is no JSON object/],
  ["a package manager that is a number", '{ "packageManager": 7 }', /field "packageManager"/],
  ["dependencies that are a list", '{ "dependencies": ["next"] }', /field "dependencies"/],
  ["a range that is a number", '{ "devDependencies": { "next": 5 } }', /field "devDependencies"/],
  ["a name that is an object", '{ "name": {} }', /field "name"/],
])("a package.json with %s is refused in one line", async (what, text, reason) => {
  const folder = place(`wrong ${what}`, { "package.json": text });
  await expect(readAppSource(folder)).rejects.toThrow(reason);
});

test.skipIf(process.platform === "win32")(
  "a pipe in the place of package.json is not waited for",
  async () => {
    const folder = place("pipe", {});
    execFileSync("mkfifo", [join(folder, "package.json")]);
    await expect(readAppSource(folder)).rejects.toThrow(
      /package\.json cannot be read: it is not a regular file/,
    );
  },
);
