import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  failedBuild,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnPackageJson,
  type PlatformId,
  UserError,
} from "@evenbench/core";

/** A folder from which packages are looked for, and the last one above it in which they are. Paths are absolute. */
export interface PackagesFrom {
  readonly folder: string;
  readonly workspace: string;
}

/** Finds the folder of a package, in the node_modules of a folder or of those above it; null where it has none. */
export function packageFolder({ folder, workspace }: PackagesFrom, packageName: string): string | null {
  for (let above = folder; ; above = dirname(above)) {
    const found = join(above, "node_modules", packageName);
    if (existsSync(join(found, "package.json"))) {
      return found;
    }
    if (above === workspace || above === dirname(above)) {
      return null;
    }
  }
}

/** Builds an app for one platform, into the folder of its deployable. */
export type OwnPacker = (build: OwnAppBuild, deployable: string) => Promise<void>;

/**
 * Builds for each platform that is asked for. One that fails costs itself alone.
 *
 * @param refusals the reasons for platforms that are not to be built, by id of the platform.
 */
export async function packEach(
  build: OwnAppBuild,
  packers: Readonly<Record<PlatformId, OwnPacker>>,
  refusals: Readonly<Record<PlatformId, string>>,
): Promise<Record<PlatformId, OwnAppDeployable>> {
  const platforms: Record<PlatformId, OwnAppDeployable> = {};
  for (const platform of build.platforms) {
    const pack = packers[platform];
    const refusal =
      refusals[platform] ?? (pack === undefined ? `Nothing builds it for ${platform}.` : undefined);
    if (refusal !== undefined || pack === undefined) {
      platforms[platform] = { refusal: refusal ?? "" };
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

/** A step of a build that Node.js runs. */
export interface NodeStep {
  readonly name: string;
  /** Arguments of Node.js: the file of the step's command, and its own arguments. */
  readonly args: readonly string[];
}

/**
 * Lists the steps that build an app: its own scripts where they run the framework's build, since they may do
 * more, else that build alone.
 *
 * @param tool the build of the framework, such as "next build", and the file of its command from its
 * package's folder on.
 */
export function buildSteps(
  build: OwnAppBuild,
  tool: { readonly command: string; readonly package: string; readonly file: string },
): readonly NodeStep[] {
  const scripts = scriptsWith(build.source.packageJson, tool.command);
  if (scripts.length > 0) {
    return scripts.map((script) => ({
      name: `the script "${script}" of package.json`,
      args: ["--run", script],
    }));
  }
  const folder = packageFolder(build, tool.package) ?? join(build.folder, "node_modules", tool.package);
  return [{ name: tool.command, args: [join(folder, tool.file), ...tool.command.split(" ").slice(1)] }];
}

/**
 * Runs an app's own build for production: its script "build", and the one before it.
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
  const { scripts = {} } = build.source.packageJson ?? {};
  if (scripts.build === undefined) {
    throw new UserError(
      'package.json has no script "build". Add the one that builds it, such as "vite build".',
    );
  }
  for (const script of ["prebuild", "build"].filter((name) => scripts[name] !== undefined)) {
    const name = `the script "${script}" of package.json${how}`;
    await build.run(name, [process.execPath, "--run", script], { env: { NODE_ENV: "production", ...env } });
  }
}

/** Lists the scripts of a package.json that run a framework's build, and none of a platform's around it. */
export function scriptsWith(manifest: OwnPackageJson | null, command: string): readonly string[] {
  const { build = "", prebuild } = manifest?.scripts ?? {};
  if (!build.includes(command) || /\b(?:opennext|open-next|vercel|wrangler)/.test(build)) {
    return [];
  }
  return prebuild === undefined ? ["build"] : ["prebuild", "build"];
}

/**
 * Source text of a function for a configuration that a framework runs: it lists the files below a folder, as paths from
 * the folder on. It needs `readdirSync` of node:fs.
 */
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
