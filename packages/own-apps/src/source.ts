import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type OwnAppSource, type OwnPackageJson, parseJson, UserError } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
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
  const file = join(folder, "package.json");
  const text = readIfThere(file);
  if (text === null) {
    return null;
  }
  const content = parseJson(text);
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
  return wrongText ?? wrongRecord ?? (hasWrongEngines(content) ? "devEngines" : null);
}

/** Tells whether a package.json wants an engine for developing that is no object. */
function hasWrongEngines({ devEngines = {} }: Readonly<Record<string, unknown>>): boolean {
  if (!isObject(devEngines)) {
    return true;
  }
  const engines = [devEngines.packageManager, devEngines.runtime].flat();
  return engines.some((engine) => engine !== undefined && !isObject(engine));
}
