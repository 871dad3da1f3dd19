import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type PackagesFrom, packageFolder, slashed } from "@evenbench/bundle/deployable";
import {
  type OwnAppSource,
  type OwnPackageJson,
  type PackageManager,
  parseJson,
  UserError,
} from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { runProgram, toolEnvironment } from "@evenbench/host";
import { findProgram } from "@evenbench/host/services";
import { lockFilesIn } from "./workspace.ts";

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
}

/** Hints for whom a package manager is missing, by its name. */
const HOW_TO_GET: Readonly<Record<PackageManager, string>> = {
  npm: "It comes with Node.js: https://nodejs.org",
  pnpm: "Install it with: npm install --global pnpm",
  yarn: "Install it with: npm install --global yarn (or: corepack enable)",
  bun: "Install it as https://bun.com says, or install the packages in your own folder",
};

/**
 * Checks that a package manager can be called.
 *
 * @throws {UserError} where the package manager of the app is not on this machine.
 */
export async function assertInstalled(manager: PackageManager): Promise<void> {
  if ((await findProgram(manager)) === null) {
    throw new UserError(
      `The app's packages are installed by ${manager}, which is not on this machine. ${HOW_TO_GET[manager]}`,
    );
  }
}

/** Makes the command that installs what the lock file says; where there is none, by the ranges of package.json. */
export function installCommand(place: Place, manager: PackageManager): Command {
  const isLocked = lockFilesIn(place.root).length > 0;
  const isMember = place.folder !== place.root;
  switch (manager) {
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
    case "yarn": {
      if (!isLocked) {
        return ["yarn", "install"];
      }
      const lock = readIfThere(join(place.root, "yarn.lock")) ?? "";
      return ["yarn", "install", lock.includes("__metadata:") ? "--immutable" : "--frozen-lockfile"];
    }
    case "bun":
      // Its files would be links to those in its cache.
      return ["bun", "install", "--backend=copyfile", ...(isLocked ? ["--frozen-lockfile"] : [])];
  }
}

/** pnpm looks for a workspace in the folders above. */
function aloneWhereItIs({ root }: Place): readonly string[] {
  return existsSync(join(root, "pnpm-workspace.yaml")) ? [] : ["--ignore-workspace"];
}

/** The version line of a lock file that every pnpm from 9 on reads. */
const SHARED_LOCK = /^lockfileVersion: '?9\./m;

/**
 * Pins the pnpm of this machine in the package.json of a private copy, in place of the version that is pinned there,
 * where both read the same lock file. Otherwise pnpm would fetch that version, and refuse it from a registry without
 * signatures. Variables that say the same do not reach scripts that call pnpm.
 *
 * @param version the version of this machine's pnpm; it is not asked for where nothing is pinned.
 * @returns true where another version was pinned.
 */
export async function pinOwnPnpm(
  workspace: string,
  manager: PackageManager,
  version: () => Promise<string | null> = pnpmVersion,
): Promise<boolean> {
  const file = join(workspace, "package.json");
  const manifest = parseJson(readIfThere(file) ?? "") as OwnPackageJson | undefined;
  if (manager !== "pnpm" || manifest?.packageManager?.startsWith("pnpm@") !== true) {
    return false;
  }
  const lock = readIfThere(join(workspace, "pnpm-lock.yaml"));
  const own = lock === null || SHARED_LOCK.test(lock) ? await version() : null;
  if (own === null || manifest.packageManager.startsWith(`pnpm@${own}`)) {
    return false;
  }
  const { packageManager: _, ...engines } = manifest.devEngines ?? {};
  const pinned = { ...manifest, packageManager: `pnpm@${own}`, devEngines: engines };
  await writeFile(file, `${JSON.stringify(pinned, null, 2)}\n`);
  return true;
}

const ANSWERS_WITHIN_MS = 20_000;

/** Asks pnpm for its version, where no package.json pins another one; null where it does not say it. */
async function pnpmVersion(): Promise<string | null> {
  const command = ["pnpm", "--version"] as const;
  const program = { command, cwd: tmpdir(), env: toolEnvironment(), withinMs: ANSWERS_WITHIN_MS };
  const { stdout } = await runProgram(program);
  return /^\d+\.\d+\.\d+\S*$/.exec(stdout.trim())?.[0] ?? null;
}

/** Makes the command that adds packages to the app of a private copy, whose package.json is its own. */
export function addCommand(place: Place, manager: PackageManager, packages: readonly string[]): Command {
  switch (manager) {
    case "npm":
      return ["npm", "install", "--save-dev", "--no-audit", "--no-fund", ...packages];
    case "pnpm": {
      const isRoot = place.folder === place.root && existsSync(join(place.root, "pnpm-workspace.yaml"));
      const where = isRoot ? ["--workspace-root"] : aloneWhereItIs(place);
      return ["pnpm", "add", "--save-dev", ...where, ...packages];
    }
    case "yarn":
      return ["yarn", "add", "--dev", ...packages];
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
  const text = folder === null ? null : readIfThere(join(folder, "package.json"));
  const { version } = (parseJson(text ?? "") ?? {}) as { readonly version?: unknown };
  return typeof version === "string" ? version : null;
}

/** Lists packages that package.json asks for, and that are not installed in the user's folder. */
export function missingPackages(source: OwnAppSource): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = source.packageJson ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.filter((name) => packageFolder(source, name) === null);
}
