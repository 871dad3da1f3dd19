import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type PackagesFrom, packageFolder, slashed } from "@evenbench/bundle/deployable";
import { isObject, type OwnAppSource } from "@evenbench/core";
import { readOthersJson } from "@evenbench/core/user-file";
import { pathsIn } from "./files.ts";
import type { CallableManager } from "./package-manager.ts";

/** A command and its arguments. */
type Command = readonly [file: string, ...args: string[]];

/** The place of an app. */
export interface Place {
  /** Absolute path of its workspace. */
  readonly workspace: string;
  /** Absolute path of the folder in which its packages are installed: in the workspace, or it. */
  readonly root: string;
  /** Absolute path of the app's folder in it. */
  readonly folder: string;
  /** Absolute path of the last folder above it in which something of it may lie. Default: the one above the workspace. */
  readonly last?: string;
  /** Absolute path of the folder with the program of its package manager. Default: PATH has it. */
  readonly manager?: string | null;
}

/** Makes the command that installs what the lock file says; or by the ranges of package.json where that says otherwise. */
export function installCommand(place: Place, manager: CallableManager, isLocked: boolean): Command {
  const isMember = place.folder !== place.root;
  switch (manager.name) {
    case "npm":
      // By name: npm looks for a project in the folders above.
      return ["npm", isLocked ? "ci" : "install", "--prefix", place.root, "--no-audit", "--no-fund"];
    case "pnpm": {
      // It takes an absolute path for one below the workspace, matches nothing, and ends well.
      const member = slashed(relative(place.root, place.folder));
      const only = isMember ? ["--filter", `{${member}}...`] : [];
      return [
        "pnpm",
        ...only,
        ...aloneWhereItIs(place),
        "install",
        isLocked ? "--frozen-lockfile" : "--no-frozen-lockfile",
      ];
    }
    case "yarn":
      return [
        "yarn",
        "install",
        ...(isFirstYarn(manager) ? FIRST_YARN : SECOND_YARN)[isLocked ? "locked" : "free"],
      ];
    case "bun":
      // Its files would be links to those in its cache.
      return ["bun", "install", "--backend=copyfile", ...(isLocked ? ["--frozen-lockfile"] : [])];
  }
}

/** With it the first version takes a Node.js that a package does not name, as other package managers do. */
const ANY_NODE = "--ignore-engines";

/** Options of yarn by whether there is a lock file: of its first version, and of those from the second on. */
const FIRST_YARN = { locked: ["--frozen-lockfile", ANY_NODE], free: [ANY_NODE] };
const SECOND_YARN = { locked: ["--immutable"], free: ["--no-immutable"] };

function isFirstYarn({ version }: CallableManager): boolean {
  return version.startsWith("1.");
}

/** pnpm looks for a workspace in the folders above. */
function aloneWhereItIs({ root }: Place): readonly string[] {
  return existsSync(join(root, "pnpm-workspace.yaml")) ? [] : ["--ignore-workspace"];
}

/** Makes the command that adds packages to the app of a private copy, whose package.json is its own. */
export function addCommand(place: Place, manager: CallableManager, packages: readonly string[]): Command {
  switch (manager.name) {
    case "npm":
      return ["npm", "install", "--save-dev", "--no-audit", "--no-fund", ...packages];
    case "pnpm": {
      const isRoot = place.folder === place.root && existsSync(join(place.root, "pnpm-workspace.yaml"));
      const where = isRoot ? ["--workspace-root"] : aloneWhereItIs(place);
      return ["pnpm", "add", "--save-dev", ...where, ...packages];
    }
    case "yarn":
      // The first version refuses the root of a workspace without the flag.
      return ["yarn", "add", "--dev", ...(isFirstYarn(manager) ? ["-W", ANY_NODE] : []), ...packages];
    case "bun":
      return ["bun", "add", "--dev", "--backend=copyfile", ...packages];
  }
}

/**
 * Reads the version of a package that an app finds; null where there is none, and where the package names none, as
 * members of a workspace may do.
 */
export function installedVersion(place: PackagesFrom, packageName: string): string | null {
  const folder = packageFolder(place, packageName);
  return folder === null ? null : versionIn(folder);
}

/** Reads the version of the package in a folder; null where it names none. */
export function versionIn(folder: string): string | null {
  const manifest = readOthersJson(join(folder, "package.json"));
  const version = isObject(manifest) ? manifest.version : null;
  return typeof version === "string" ? version : null;
}

/** Lists packages that package.json asks for, and that are not installed in the user's folder. */
export function missingPackages(source: OwnAppSource): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = source.packageJson ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.filter((name) => packageFolder(source, name) === null);
}

/** Paths of files that say what is installed, and how. */
export const OF_INSTALLS: RegExp =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|pnpm-workspace\.yaml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.[cm]?js|bunfig\.toml|[^/]+\.patch)$/;

/** Scripts that an installation runs. */
const RUN_BY_INSTALLS = ["preinstall", "install", "postinstall", "prepare"];

/**
 * Tells whether an installation makes packages of an app's own files: by a script, or from a folder of it.
 *
 * @param manifest a package.json as it was parsed.
 */
export function isMadeOfSources(manifest: unknown): boolean {
  const scripts = isObject(manifest) && isObject(manifest.scripts) ? manifest.scripts : {};
  const versions = pathsIn(manifest, ["dependencies", "devDependencies", "optionalDependencies"]);
  return (
    RUN_BY_INSTALLS.some((name) => name in scripts) ||
    versions.some((version) => /^(?:file|portal|patch):/.test(version))
  );
}
