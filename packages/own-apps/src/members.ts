import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { isWithin, packageFolder, slashed } from "@evenbench/bundle/deployable";
import { messageOf, type OwnAppBuild, type OwnAppSource, type OwnPackageJson } from "@evenbench/core";
import { readPackageJson } from "@evenbench/core/package-json";
import { UserFileError } from "@evenbench/core/user-file";
import { MODULES, pathsIn } from "./files.ts";

/** A member of a workspace that an app is made of. */
interface Member {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  /** Its package.json; or what is wrong with that, in words. */
  readonly manifest: OwnPackageJson | string;
}

/**
 * Builds the members of the workspace that an app is made of and whose modules are not there, each after those that it
 * is made of itself. One without a script for it is named.
 *
 * @param source the app in the private copy.
 */
export async function buildMembers(
  source: OwnAppSource,
  { run, note }: Pick<OwnAppBuild, "run" | "note">,
): Promise<void> {
  for (const { name, folder, manifest } of membersOf(source)) {
    const at = slashed(relative(source.workspace, folder));
    if (typeof manifest === "string") {
      note(`${name} was not built: ${at}/package.json ${manifest}.`);
      continue;
    }
    const lacking = lackingModule(folder, manifest);
    if (lacking === null) {
      continue;
    }
    if (manifest.scripts?.build === undefined) {
      note(
        `${name} names ${lacking}, which is not there, and has no script "build": build it in ${at} first.`,
      );
      continue;
    }
    const command = [process.execPath, "--run", "build"] as const;
    try {
      await run(`the script "build" of ${name}`, command, { cwd: folder, env: { NODE_ENV: "production" } });
      note(`In the copy ${name} was built first, by its script "build": ${at} has no ${lacking}.`);
    } catch (error) {
      const [reason = ""] = messageOf(error).split("\n");
      note(`The script "build" of ${name} failed in the copy, and ${at} has no ${lacking}: ${reason}`);
    }
  }
}

/** Lists the members that an app depends on, also through others: each behind those that it depends on. */
function membersOf({ folder, workspace, packageJson }: OwnAppSource): readonly Member[] {
  const found = new Map<string, Member>();
  const seen = new Set([folder]);
  visit(folder, packageJson ?? {});
  return [...found.values()];

  function visit(from: string, { dependencies = {}, devDependencies = {} }: OwnPackageJson): void {
    for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
      const at = memberFolder(from, workspace, name);
      if (at === null || seen.has(at)) {
        continue;
      }
      seen.add(at);
      const manifest = manifestOf(at);
      if (typeof manifest !== "string") {
        visit(at, manifest);
      }
      found.set(at, { name, folder: at, manifest });
    }
  }
}

/** Reads the package.json of a member, which has one; of a broken one what is wrong, in words. */
function manifestOf(folder: string): OwnPackageJson | string {
  try {
    return readPackageJson(folder) ?? {};
  } catch (error) {
    if (error instanceof UserFileError) {
      return error.why;
    }
    throw error;
  }
}

/** Finds the folder of a dependency that is a member of the workspace; null for a package that was installed. */
function memberFolder(from: string, workspace: string, name: string): string | null {
  const found = packageFolder({ folder: from, workspace }, name);
  const folder = found === null ? null : realpathSync(found);
  const isMember = folder !== null && isWithin(workspace, folder) && !folder.split(/[\\/]/).includes(MODULES);
  return isMember ? folder : null;
}

/** The path of one module, and not of its types. */
const MODULE = /^(?!.*(?:\*|\.d\.[cm]?ts$)).*\.[cm]?[jt]sx?$/;

/** Keys of a package.json that name its modules. */
const MODULE_KEYS = ["main", "module", "exports"];

/** Finds the first module that a package.json names and that is not there; null where all are. */
function lackingModule(folder: string, manifest: OwnPackageJson): string | null {
  const modules = pathsIn(manifest, MODULE_KEYS).filter((path) => MODULE.test(path));
  return modules.find((path) => !existsSync(join(folder, path))) ?? null;
}
