import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type OwnAppSource, type OwnPackageJson, UserError } from "@evenbench/core";
import { readJsonAs } from "@evenbench/core/user-file";
import * as z from "zod";
import { packageManagerOf, reachOf, rootOf } from "./workspace.ts";

/**
 * Reads an app's folder, without building it: its package.json, its workspace and its package manager. Nothing is
 * written.
 *
 * @param folder absolute path, as `folderOf` gives it.
 * @throws {UserError} where the folder cannot be read, or its package.json is no JSON.
 */
export async function readAppSource(
  folder: string,
  variables: OwnAppSource["variables"] = {},
): Promise<OwnAppSource> {
  const read = await readAppFolder(folder, variables);
  return { ...read, ...reachOf(read) };
}

/**
 * Reads the same of an app's folder, but none of its modules: whatever it reads outside of its root is not known yet. A
 * folder that is no app may be a whole disk.
 */
export async function readAppFolder(
  folder: string,
  variables: OwnAppSource["variables"],
): Promise<OwnAppSource> {
  const packageJson = readPackageJson(folder);
  const root = rootOf(folder);
  const ofRoot = root === folder ? packageJson : readPackageJson(root);
  const [packageManager, managerVersion] = packageManagerOf(root, [ofRoot, packageJson]);
  return {
    folder,
    workspace: root,
    root,
    unreached: null,
    variables,
    packageJson,
    packageManager,
    managerVersion,
    files: await readdir(folder),
    rangeOf(packageName) {
      return packageJson?.dependencies?.[packageName] ?? packageJson?.devDependencies?.[packageName] ?? null;
    },
  };
}

/** Gives the absolute path of an app's folder that was typed. @throws {UserError} where it is none. */
export async function folderOf(given: string): Promise<string> {
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
function readPackageJson(folder: string): OwnPackageJson | null {
  return readJsonAs(join(folder, "package.json"), manifest, "a package.json") as OwnPackageJson | null;
}

const text = z.string().optional();
const texts = z.record(z.string(), z.string()).optional();
const engine = z.looseObject({});
const engines = z.union([engine, z.array(engine)]).optional();

/** Schema of a package.json, as far as it is read here. */
const manifest = z.looseObject({
  name: text,
  type: text,
  main: text,
  packageManager: text,
  scripts: texts,
  dependencies: texts,
  devDependencies: texts,
  devEngines: z.looseObject({ packageManager: engines, runtime: engines }).optional(),
});
