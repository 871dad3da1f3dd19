import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import {
  failedBuild,
  messageOf,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnPackageJson,
  type PlatformId,
  UserError,
} from "@evenbench/core";
import { slashed } from "../manifest.ts";

/** Tells whether an absolute path is a folder, or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === "" || !(below === ".." || slashed(below).startsWith("../") || isAbsolute(below));
}

/** Lists a folder and those above it, the nearest first. @param last the highest one. Default: the root of all. */
export function foldersUpFrom(folder: string, last?: string): readonly string[] {
  const above = dirname(folder);
  return folder === last || folder === above ? [folder] : [folder, ...foldersUpFrom(above, last)];
}

/** A path that a file of an app names. */
export interface NamedPath {
  /** The file that names it, for messages. */
  readonly file: string;
  /** The path as it stands there. */
  readonly named: string;
  /** Absolute path of the folder that it counts from. */
  readonly from: string;
  /** Absolute path of the folder in which it has to lie. */
  readonly within: string;
}

/**
 * Gives the absolute path that a file of an app names.
 *
 * @throws {UserError} where that leaves the private copy: a stranger's file is not to name what is read or written.
 */
export function namedPath({ file, named, from, within }: NamedPath): string {
  const path = resolve(from, named);
  if (isWithin(within, path)) {
    return path;
  }
  throw new UserError(
    `${file} names ${named}, which lies outside of the app. Nothing there is read or written: name a path in the app.`,
  );
}

/** A folder from which packages are looked for, and the last one above it in which they are. Paths are absolute. */
export interface PackagesFrom {
  readonly folder: string;
  readonly workspace: string;
}

/** Finds the folder of a package, in the node_modules of a folder or of those above it; null where it has none. */
export function packageFolder({ folder, workspace }: PackagesFrom, packageName: string): string | null {
  const places = foldersUpFrom(folder, workspace).map((above) => join(above, "node_modules", packageName));
  return places.find((place) => existsSync(join(place, "package.json"))) ?? null;
}

/** Gives the absolute path of a file of a package; of one that is not there, the path that it would have. */
export function fileOfPackage(from: PackagesFrom, packageName: string, file: string): string {
  const folder = packageFolder(from, packageName) ?? join(from.folder, "node_modules", packageName);
  return join(folder, file);
}

/** Builds an app for one platform, into the folder of its deployable. */
export type OwnPacker = (build: OwnAppBuild, deployable: string) => Promise<void>;

/**
 * Builds for each platform that is asked for. One that fails costs itself alone.
 *
 * @param lacking what is known of platforms that are not to be built, by id of the platform.
 */
export async function packEach(
  build: OwnAppBuild,
  packers: Readonly<Record<PlatformId, OwnPacker>>,
  lacking: Readonly<Record<PlatformId, OwnAppDeployable>>,
): Promise<Record<PlatformId, OwnAppDeployable>> {
  const platforms: Record<PlatformId, OwnAppDeployable> = {};
  for (const platform of build.platforms) {
    const known = lacking[platform];
    if (known !== undefined) {
      platforms[platform] = known;
      continue;
    }
    const pack = packers[platform];
    if (pack === undefined) {
      platforms[platform] = { refusal: `Nothing builds it for ${platform}.` };
      continue;
    }
    const deployable = build.placeFor(platform);
    try {
      await pack(build, deployable);
      platforms[platform] = { deployable };
    } catch (error) {
      platforms[platform] = failedBuild(error);
    }
  }
  return platforms;
}

/** The command by which a framework builds an app. */
export interface FrameworkCommand {
  /** The command as it is typed, such as "next build". */
  readonly command: string;
  readonly package: string;
  /** The path of its module, from the package's folder on. */
  readonly file: string;
}

/**
 * Builds an app of a framework: by the app's own scripts, since they may do more than the framework's command; by that
 * command alone where the app has none of its own, or its script fails and does not name the command.
 *
 * @param env variables that are added.
 * @param how words behind the name of the step, such as ", by @astrojs/node".
 */
export async function buildByFramework(
  build: OwnAppBuild,
  { command, package: packageName, file }: FrameworkCommand,
  env: Readonly<Record<string, string>>,
  how = "",
): Promise<void> {
  const { packageJson } = build.source;
  const scripts = ownScripts(packageJson);
  const runCommand = () => {
    const args = [fileOfPackage(build, packageName, file), ...command.split(" ").slice(1)];
    return build.run(`${command}${how}`, [process.execPath, ...args], { env });
  };
  for (const script of scripts) {
    try {
      await runScript(build, script, env, how);
    } catch (error) {
      const isNamed = scriptCommands(packageJson, ["build"]).some((text) => text.includes(command));
      if (script !== "build" || isNamed) {
        throw error;
      }
      const [reason = ""] = messageOf(error).split("\n");
      build.note(`In its place \`${command}\` built the app: ${reason}`);
      await runCommand();
    }
  }
  if (scripts.length === 0) {
    await runCommand();
  }
}

/** The beginning of a path in a folder into which builds write, from the app's folder on. */
export const BUILT_INTO: RegExp = /^(?:dist|build|out|\.[\w-]+)\//;

/** A command that runs another script of package.json. */
const RUNS_SCRIPT = /^(?:npm run(?:-script)?|(?:yarn|pnpm|bun)(?: run)?|node --run) ([\w:.-]+)$/;

/** Lists the commands in scripts of a package.json, and in those that they run. */
export function scriptCommands(manifest: OwnPackageJson | null, names: readonly string[]): readonly string[] {
  const { scripts = {} } = manifest ?? {};
  const seen = new Set(names);
  return names.flatMap(commandsOf);

  function commandsOf(name: string): readonly string[] {
    const commands = (scripts[name] ?? "").split(/&&|\|\||[;&|]/).map((text) => text.trim());
    return commands.flatMap((command) => {
      const [, other = ""] = RUNS_SCRIPT.exec(command) ?? [];
      if (scripts[other] === undefined || seen.has(other)) {
        return [command];
      }
      seen.add(other);
      return commandsOf(other);
    });
  }
}

function runScript(
  build: OwnAppBuild,
  script: string,
  env: Readonly<Record<string, string>>,
  how: string,
): Promise<void> {
  const name = `the script "${script}" of package.json${how}`;
  return build.run(name, [process.execPath, "--run", script], { env });
}

/**
 * Runs an app's script "build", and those around it.
 *
 * @param env variables that are added.
 * @param how words behind the name of the step, such as ", by the preset vercel".
 * @throws {UserError} where it has none.
 */
export async function runBuildScript(
  build: OwnAppBuild,
  env: Readonly<Record<string, string>>,
  how = "",
): Promise<void> {
  const scripts = buildScripts(build.source.packageJson);
  if (!scripts.includes("build")) {
    throw new UserError(
      'package.json has no script "build". Add the one that builds it, such as "vite build".',
    );
  }
  for (const script of scripts) {
    await runScript(build, script, { NODE_ENV: "production", ...env }, how);
  }
}

/** Programs that build for one platform, around the framework's build; and those that build a whole workspace. */
const OF_OTHERS = /\b(?:opennext|open-next|vercel|wrangler)|(?:^|[\s;&|])(?:turbo|nx|lerna)\s/;

/** Lists the scripts that a package manager runs for "build", in order, without those that deploy. */
export function buildScripts(manifest: OwnPackageJson | null): readonly string[] {
  const { scripts = {} } = manifest ?? {};
  const after = OF_OTHERS.test(scripts.postbuild ?? "") ? [] : ["postbuild"];
  return ["prebuild", "build", ...after].filter((name) => scripts[name] !== undefined);
}

/** Lists the scripts by which a package.json builds the app itself; none where it has no "build", or one for a platform. */
export function ownScripts(manifest: OwnPackageJson | null): readonly string[] {
  const build = manifest?.scripts?.build;
  return build === undefined || OF_OTHERS.test(build) ? [] : buildScripts(manifest);
}

/** Source text of a function that lists the files below a folder, from there on. It needs `readdirSync` of node:fs. */
export const FILES_BELOW_SOURCE = `function filesBelow(folder, from = "") {
  let entries = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // An app need not have files.
  }
  return entries.flatMap((entry) => {
    const path = from + entry.name;
    return entry.isDirectory() ? filesBelow(folder + "/" + entry.name, path + "/") : [path];
  });
}
`;
