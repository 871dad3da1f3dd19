import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { type OwnAppSource, type PackageManager, parseJson, UserError } from "@evenbench/core";
import { readUserFile } from "@evenbench/core/user-file";
import { runProgram } from "@evenbench/host";
import { lockFileIn, slashed } from "./source.ts";

/** A command and its arguments. */
type Command = readonly [file: string, ...args: string[]];

/** The place of an app. */
export interface Place {
  /** Absolute path of its workspace. */
  readonly workspace: string;
  /** Absolute path of the app's folder in it. */
  readonly folder: string;
}

/** Hints for whom a package manager is missing, by its name. */
const HOW_TO_GET: Readonly<Record<PackageManager, string>> = {
  npm: "It comes with Node.js: https://nodejs.org",
  pnpm: "Install it with: npm install --global pnpm",
  yarn: "Install it with: npm install --global yarn (or: corepack enable)",
};

/**
 * Checks that a package manager can be called.
 *
 * @throws {UserError} where the package manager of the app is not on this machine.
 */
export function assertInstalled(manager: PackageManager): void {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const endings = process.platform === "win32" ? [".cmd", ".exe"] : [""];
  const isThere = folders.some((folder) =>
    endings.some((ending) => existsSync(join(folder, manager + ending))),
  );
  if (isThere) {
    return;
  }
  throw new UserError(
    `The app's packages are installed by ${manager}, which is not on this machine. ${HOW_TO_GET[manager]}`,
  );
}

/** Makes the command that installs what the lock file says; where there is none, by the ranges of package.json. */
export async function installCommand(place: Place, manager: PackageManager): Promise<Command> {
  const isLocked = lockFileIn(place.workspace) !== null;
  const isMember = place.folder !== place.workspace;
  switch (manager) {
    case "npm":
      return ["npm", isLocked ? "ci" : "install", "--no-audit", "--no-fund"];
    case "pnpm": {
      // It takes an absolute path for one below the workspace, matches nothing, and ends well.
      const member = slashed(relative(place.workspace, place.folder));
      const only = isMember ? ["--filter", `{${member}}...`] : [];
      return ["pnpm", ...only, "install", isLocked ? "--frozen-lockfile" : "--no-frozen-lockfile"];
    }
    case "yarn": {
      if (!isLocked) {
        return ["yarn", "install"];
      }
      const lock = await readUserFile(join(place.workspace, "yarn.lock"));
      return ["yarn", "install", lock.includes("__metadata:") ? "--immutable" : "--frozen-lockfile"];
    }
  }
}

/** The version line of a lock file that every pnpm from 9 on reads. */
const SHARED_LOCK = /^lockfileVersion: '?9\./m;

/** The part of a workspace's package.json that pins a package manager. */
interface PinnedManifest {
  /** Such as "pnpm@10.20.0". */
  readonly packageManager?: string;
  /** It may ask for a package manager, too. */
  readonly devEngines?: { readonly packageManager?: unknown };
}

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
  const manifest = parseJson(await readUserFile(file).catch(() => "")) as PinnedManifest | undefined;
  if (manager !== "pnpm" || manifest?.packageManager?.startsWith("pnpm@") !== true) {
    return false;
  }
  const lock = await readUserFile(join(workspace, "pnpm-lock.yaml")).catch(() => null);
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
  const { stdout } = await runProgram({ command, cwd: tmpdir(), withinMs: ANSWERS_WITHIN_MS });
  return /^\d+\.\d+\.\d+\S*$/.exec(stdout.trim())?.[0] ?? null;
}

/** Makes the command that adds packages to the app of a private copy, whose package.json is its own. */
export function addCommand(
  { workspace, folder }: Place,
  manager: PackageManager,
  packages: readonly string[],
): Command {
  switch (manager) {
    case "npm":
      return ["npm", "install", "--save-dev", "--no-audit", "--no-fund", ...packages];
    case "pnpm": {
      const isRoot = folder === workspace && existsSync(join(workspace, "pnpm-workspace.yaml"));
      return ["pnpm", "add", "--save-dev", ...(isRoot ? ["--workspace-root"] : []), ...packages];
    }
    case "yarn":
      return ["yarn", "add", "--dev", ...packages];
  }
}

/**
 * Reads the version of a package that an app finds, in its own node_modules or those above it up to the workspace;
 * null where there is none.
 */
export function installedVersion(place: Place, packageName: string): string | null {
  for (let folder = place.folder; ; folder = dirname(folder)) {
    const file = join(folder, "node_modules", packageName, "package.json");
    if (existsSync(file)) {
      const manifest = parseJson(readFileSync(file, "utf8"));
      return (manifest as { version?: string } | undefined)?.version ?? null;
    }
    if (folder === place.workspace || folder === dirname(folder)) {
      return null;
    }
  }
}

/** Lists packages that package.json asks for, and that are not installed in the user's folder. */
export function missingPackages(source: OwnAppSource): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = source.packageJson ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies });
  return names.filter((name) => installedVersion(source, name) === null);
}
