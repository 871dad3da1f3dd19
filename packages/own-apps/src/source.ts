import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
// Node.js 20, on which the published package says what it needs, has no `matchesGlob` to import by name.
import nodePath, { dirname, join, relative, resolve } from "node:path";
import {
  messageOf,
  type OwnAppSource,
  type OwnPackageJson,
  type PackageManager,
  parseJson,
  UserError,
} from "@evenbench/core";
import { readUserFile } from "@evenbench/core/user-file";

/**
 * Package managers by the name of their lock file; the first file that is there counts. Bun's lock files are
 * read by nobody else, so npm installs by the ranges.
 */
const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/**
 * Reads an app's folder, without building it: its package.json, its workspace and its package manager. Nothing is
 * written.
 *
 * @throws {UserError} where the folder cannot be read, or its package.json is no JSON.
 */
export async function readAppSource(given: string): Promise<OwnAppSource> {
  const folder = await folderOf(given);
  const packageJson = await readPackageJson(folder);
  const workspace = await workspaceOf(folder, packageJson);
  return {
    folder,
    workspace,
    packageJson,
    packageManager: await packageManagerOf(workspace, packageJson),
    files: await readdir(folder),
    rangeOf(packageName) {
      return packageJson?.dependencies?.[packageName] ?? packageJson?.devDependencies?.[packageName] ?? null;
    },
  };
}

/** Gives the absolute path of a folder that was typed. @throws {UserError} where it is none. */
async function folderOf(given: string): Promise<string> {
  const path = resolve(given);
  const found = await stat(path).catch(() => null);
  if (found === null) {
    throw new UserError(`There is no folder ${path}. Give the folder of your app, with its package.json.`);
  }
  if (!found.isDirectory()) {
    throw new UserError(`${path} is no folder. Give the folder of your app: ${dirname(path)}`);
  }
  return realpath(path);
}

/** Reads a folder's package.json; null where it has none. @throws {UserError} where it is none that npm would take. */
async function readPackageJson(folder: string): Promise<OwnPackageJson | null> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) {
    return null;
  }
  const text = await readUserFile(file).catch((error: unknown) => {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}. Correct it, and start again.`);
  });
  const content = parseJson(text.replace(/^\uFEFF/, ""));
  if (!isObject(content)) {
    throw new UserError(`${file} is no JSON object. Correct it, and start again.`);
  }
  const wrong = wrongFieldOf(content);
  if (wrong === null) {
    return content;
  }
  throw new UserError(
    `${file} has a field "${wrong}" that is none of package.json. Correct it, and start again.`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fields of package.json that are read here as a text, where they are there. */
const TEXT_FIELDS = ["name", "type", "main", "packageManager"];
/** Fields of package.json that are read here as texts by their names, where they are there. */
const RECORD_FIELDS = ["scripts", "dependencies", "devDependencies"];

/** Gives the name of the first field that has another type than package.json gives it; null where there is none. */
function wrongFieldOf(content: Readonly<Record<string, unknown>>): string | null {
  const isText = (value: unknown): boolean => typeof value === "string";
  const wrongText = TEXT_FIELDS.find((name) => content[name] !== undefined && !isText(content[name]));
  const wrongRecord = RECORD_FIELDS.find((name) => {
    const value = content[name];
    return value !== undefined && !(isObject(value) && Object.values(value).every(isText));
  });
  return wrongText ?? wrongRecord ?? null;
}

/**
 * Finds the workspace of an app. A lock file of its own makes a folder its own workspace, such as that of an example
 * below a repository. So does a workspace that pins and installs nothing, while the app asks for nothing of it: its
 * other members are no part of the app.
 */
async function workspaceOf(folder: string, packageJson: OwnPackageJson | null): Promise<string> {
  if (lockFileIn(folder) !== null) {
    return folder;
  }
  const root = await rootAbove(folder);
  if (root === null) {
    return folder;
  }
  const isUsed = lockFileIn(root) !== null || existsSync(join(root, "node_modules"));
  return isUsed || asksForWorkspace(packageJson) ? root : folder;
}

/** Finds the nearest folder above an app whose workspace names it as a member; null where there is none. */
async function rootAbove(folder: string): Promise<string | null> {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if (existsSync(join(above, "pnpm-workspace.yaml"))) {
      return above;
    }
    const manifest = await readPackageJson(above).catch(() => null);
    if (manifest !== null && hasMember(manifest, slashed(relative(above, folder)))) {
      return above;
    }
    // A folder above the repository is no part of it.
    if (existsSync(join(above, ".git"))) {
      return null;
    }
  }
  return null;
}

/** Tells whether an app depends on members of its workspace, or on versions that it names. */
function asksForWorkspace(packageJson: OwnPackageJson | null): boolean {
  const { dependencies = {}, devDependencies = {} } = packageJson ?? {};
  const ranges = Object.values({ ...dependencies, ...devDependencies });
  return ranges.some((range) => /^(?:workspace|catalog):/.test(range));
}

/** Tells whether the `workspaces` of a package.json name a path. */
function hasMember(manifest: object, path: string): boolean {
  const { workspaces } = manifest as { readonly workspaces?: unknown };
  const { packages = workspaces } = (workspaces ?? {}) as { readonly packages?: unknown };
  if (!Array.isArray(packages)) {
    return false;
  }
  return packages.some(
    (glob) => typeof glob === "string" && nodePath.matchesGlob(path, glob.replace(/^\.\/|\/$/g, "")),
  );
}

/**
 * Gives the name of the lock file in a workspace, of those in `LOCK_FILES` the first; null where there is
 * none.
 */
export function lockFileIn(workspace: string): string | null {
  const found = LOCK_FILES.find(([file]) => existsSync(join(workspace, file)));
  return found?.[0] ?? null;
}

/** Finds an app's package manager: by the lock file, then by `packageManager`, else npm. */
async function packageManagerOf(
  workspace: string,
  packageJson: OwnPackageJson | null,
): Promise<PackageManager> {
  const lockFile = lockFileIn(workspace);
  const byLock = LOCK_FILES.find(([file]) => file === lockFile);
  if (byLock !== undefined) {
    return byLock[1];
  }
  if (existsSync(join(workspace, "pnpm-workspace.yaml"))) {
    return "pnpm";
  }
  const root = await readPackageJson(workspace);
  const named = root?.packageManager ?? packageJson?.packageManager ?? "";
  const [name = ""] = named.split("@");
  return name === "pnpm" || name === "yarn" ? name : "npm";
}

/** Gives a path with slashes in place of backslashes. */
export function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}
