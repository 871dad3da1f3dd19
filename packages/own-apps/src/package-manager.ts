import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, type OwnAppSource, type PackageManager, quotesOf, UserError } from "@evenbench/core";
import { readIfThere } from "@evenbench/core/user-file";
import { ownFolder, runProgram, toolEnvironment } from "@evenbench/host";
import { satisfies } from "semver";
import type { OwnAppOptions } from "./options.ts";
import { lockFilesIn } from "./workspace.ts";

/** A package manager that can be called. */
export interface CallableManager {
  readonly name: PackageManager;
  /** Its version, such as "10.20.0". */
  readonly version: string;
  /** Absolute path of the folder with its program; null where that is in PATH. */
  readonly folder: string | null;
}

/** What an app says of its package manager. */
type PinnedSource = Pick<OwnAppSource, "root" | "packageManager" | "managerVersion">;

/** What is known of a package manager by a lock file. */
interface LockFormat {
  readonly manager: PackageManager;
  /** A part of the lock file. Default: any lock file, and none. */
  readonly lock?: RegExp;
  /** The versions that take it. */
  readonly takenBy: string;
  /** The version that is fetched where this machine has none of these. */
  readonly fetched: string;
}

/** The first that fits counts. */
const FORMATS: readonly LockFormat[] = [
  { manager: "pnpm", lock: /^lockfileVersion: '?5/m, takenBy: "<8", fetched: "7.33.7" },
  { manager: "pnpm", lock: /^lockfileVersion: '?6/m, takenBy: "8", fetched: "8.15.9" },
  { manager: "pnpm", takenBy: ">=9", fetched: "10.34.9" },
  { manager: "yarn", lock: /^__metadata:\s+version: 4\b/m, takenBy: ">=2 <3.1", fetched: "2.4.2" },
  { manager: "yarn", lock: /^__metadata:\s+version: 5\b/m, takenBy: "3.1", fetched: "3.1.1" },
  { manager: "yarn", lock: /^__metadata:\s+version: 6\b/m, takenBy: ">=3.2 <4", fetched: "3.8.7" },
  { manager: "yarn", lock: /^__metadata:/m, takenBy: ">=2", fetched: "4.18.1" },
  { manager: "yarn", takenBy: "<2", fetched: "1.22.22" },
  { manager: "bun", takenBy: "*", fetched: "1.4.4" },
  { manager: "npm", takenBy: "*", fetched: "11.19.1" },
];

/** Runs the command that installs a package manager from the registry, in a folder. It throws where that fails. */
export type FetchPackage = (
  command: readonly [file: string, ...args: string[]],
  cwd: string,
) => Promise<void>;

/** Makes what installs a package manager by npm. It is kept for all apps: one's variables and commands have no part in it. */
export function fetchByNpm({ onStep, signal }: Pick<OwnAppOptions, "onStep" | "signal">): FetchPackage {
  return async (command, cwd) => {
    onStep(`npm install ${command.at(-1)}`);
    const program = { command, cwd, env: toolEnvironment({ NO_COLOR: "1" }), signal };
    const { failure, output } = await runProgram(program);
    signal?.throwIfAborted();
    if (failure !== null) {
      const [reason = ""] = output.split("\n");
      throw new Error(`npm ${failure}. It says: ${reason}`);
    }
  };
}

/**
 * Finds an app's package manager in the version that its package.json pins, else in one that takes its lock file: this
 * machine's where it is so, else one that is fetched from the registry once, and kept below the user's cache folder.
 *
 * @throws {UserError} where it cannot be fetched.
 */
export async function callableManager(
  { root, packageManager: name, managerVersion }: PinnedSource,
  fetch: FetchPackage,
): Promise<CallableManager> {
  const { takenBy, fetched } = formatOf(root, name);
  const installed = await versionInPath(name);
  if (installed !== null && satisfies(installed, managerVersion ?? takenBy, { includePrerelease: true })) {
    return { name, version: installed, folder: null };
  }
  const version = managerVersion ?? fetched;
  return { name, version, folder: await fetchManager(name, version, fetch) };
}

function formatOf(root: string, name: PackageManager): LockFormat {
  const [lockFile] = lockFilesIn(root, name);
  const text = lockFile === undefined ? "" : (readIfThere(join(root, lockFile)) ?? "");
  const found = FORMATS.find(({ manager, lock }) => manager === name && (lock?.test(text) ?? true));
  if (found === undefined) {
    throw new Error(`Nothing is known of the package manager ${name}.`);
  }
  // Without a lock file there is nothing that a version could not take.
  return lockFile === undefined ? { ...found, takenBy: "*" } : found;
}

const ANSWERS_WITHIN_MS = 20_000;

/**
 * Asks a package manager for its version, where no package.json pins another one; null where it does not say it. In a
 * folder of all users, such as that for temporary files, it would run what anybody names there: yarn in a .yarnrc, pnpm
 * in a package.json.
 */
async function versionInPath(name: PackageManager): Promise<string | null> {
  const command = [name, "--version"] as const;
  const program = { command, cwd: resolve("/"), env: toolEnvironment(), withinMs: ANSWERS_WITHIN_MS };
  const { stdout } = await runProgram(program);
  return /^\d+\.\d+\.\d+\S*$/.exec(stdout.trim())?.[0] ?? null;
}

/** Names the package of a package manager: that of yarn has another name from its second version on. */
function packageOf(name: PackageManager, version: string): string {
  return name === "yarn" && satisfies(version, ">=2", { includePrerelease: true })
    ? "@yarnpkg/cli-dist"
    : name;
}

/** Installs a package manager by npm, once. @returns the folder of its program. */
async function fetchManager(name: PackageManager, version: string, fetch: FetchPackage): Promise<string> {
  const place = join(ownFolder("package-managers"), `${name}-${version}`);
  const commands = join(place, "node_modules/.bin");
  if (existsSync(commands)) {
    return commands;
  }
  const made = await mkdtemp(`${place}-`);
  const spec = `${packageOf(name, version)}@${version}`;
  const command = ["npm", "install", "--prefix", made, "--no-audit", "--no-fund", spec] as const;
  try {
    await writeFile(join(made, "package.json"), "{}");
    await fetch(command, made);
    await rename(made, place).catch((error: unknown) => {
      // Another command may have been faster.
      if (!existsSync(commands)) {
        throw error;
      }
    });
    return commands;
  } catch (error) {
    throw new UserError(
      `The app's packages are installed by ${name} ${version}, which is not on this machine, and was not fetched. Install it, or install the packages in your own folder; then start again. ${messageOf(error)}`,
      quotesOf(error),
    );
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
