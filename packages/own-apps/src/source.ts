import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type OwnAppSource, UserError } from "@evenbench/core";
import { readPackageJson } from "@evenbench/core/package-json";
import { reachOf } from "./outside.ts";
import { FilesUpwards, packageManagerOf, rootOf } from "./workspace.ts";

/**
 * Reads an app's folder, without building it: its package.json, its workspace and its package manager. Nothing is
 * written.
 *
 * @param folder absolute path, as `folderOf` gives it.
 * @throws {UserError} where the folder cannot be read, or its package.json is none that npm would take.
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
  const upwards = new FilesUpwards(folder);
  const root = rootOf(folder, upwards);
  const [packageManager, managerVersion] = packageManagerOf(root, packageJson, upwards);
  return {
    folder,
    workspace: root,
    root,
    unreached: null,
    passedOver: upwards.passedOver(),
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
