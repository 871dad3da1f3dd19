import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  failedBuild,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnPackageJson,
  type PlatformId,
  parseJson,
  UserError,
} from "@evenbench/core";
import { runProgram } from "@evenbench/host";
import { compare, prerelease, satisfies, valid } from "semver";

/** The part of an adapter's package.json that a choice of its version needs. */
export interface AdapterVersion {
  /** The version, such as "1.20.13". */
  readonly version: string;
  /** Ranges by package name. Left out: it asks for nothing. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** An adapter that brings a framework's apps to a platform. */
export interface AdapterWanted {
  /** The adapter's package, such as "@opennextjs/cloudflare". */
  readonly adapter: string;
  /** The framework's package, such as "next". */
  readonly framework: string;
  /**
   * Versions that Evenbench's own app is built with, by package name: the adapter's, and those of other
   * packages that it wants beside it.
   */
  readonly pinned: Readonly<Record<string, string>>;
}

/** The version of an adapter that an app gets, or the reason why there is none. */
export type AdapterChoice =
  | {
      /**
       * Packages to add to the app, such as "@opennextjs/cloudflare@1.20.13" and "wrangler@4.164.0". Empty
       * where all of it is installed.
       */
      readonly packages: readonly string[];
    }
  | {
      /** The reason for which no version fits, in one sentence: versions that do not go together, and what to do. */
      readonly refusal: string;
    };

/**
 * Chooses the version of an adapter whose peer range has the app's framework: the one that the app has
 * installed, else the one that Evenbench's own app is built with, else the latest that was published.
 *
 * @throws {UserError} where the registry must be asked and does not answer.
 */
export async function chooseAdapter(build: OwnAppBuild, wanted: AdapterWanted): Promise<AdapterChoice> {
  const { adapter, framework, pinned } = wanted;
  const frameworkVersion = build.installedVersion(framework);
  if (frameworkVersion === null) {
    return {
      refusal: `${framework} is not installed, so no version of ${adapter} can be chosen. Install the app's packages.`,
    };
  }
  const installed = await installedAdapter(build, adapter);
  if (installed !== null && takes(installed, framework, frameworkVersion)) {
    return { packages: missingPeers(build, installed, pinned) };
  }
  const published = await publishedVersions(adapter, build.folder);
  const chosen = newestThatTakes(published, framework, frameworkVersion, pinned[adapter]);
  if (chosen === null) {
    return { refusal: whyNone(published, wanted, frameworkVersion) };
  }
  return { packages: [`${adapter}@${chosen.version}`, ...missingPeers(build, chosen, pinned)] };
}

function takes({ peerDependencies }: AdapterVersion, framework: string, version: string): boolean {
  const range = peerDependencies?.[framework];
  return range !== undefined && isInPeerRange(version, range);
}

/**
 * Tells whether a version is in a range of peer dependencies. In an adapter's own repository the range may be the
 * workspace's ("catalog:", "workspace:*"), which has installed what it says.
 */
export function isInPeerRange(version: string, range: string): boolean {
  return /^(?:catalog|workspace):/.test(range) || satisfies(version, range, { includePrerelease: true });
}

/**
 * Finds the version of an adapter for a version of its framework.
 *
 * @param preferred is taken where it fits.
 * @returns the latest version that is no prerelease and whose peer range has the framework's version; null
 * where there is none.
 */
export function newestThatTakes(
  published: readonly AdapterVersion[],
  framework: string,
  frameworkVersion: string,
  preferred: string | undefined,
): AdapterVersion | null {
  const fitting = stableOf(published).filter((candidate) => takes(candidate, framework, frameworkVersion));
  return fitting.find(({ version }) => version === preferred) ?? fitting.at(-1) ?? null;
}

/** Gives the versions that are no prereleases, the oldest first. */
function stableOf(published: readonly AdapterVersion[]): AdapterVersion[] {
  return published
    .filter(({ version }) => valid(version) !== null && prerelease(version) === null)
    .sort((a, b) => compare(a.version, b.version));
}

function whyNone(
  published: readonly AdapterVersion[],
  { adapter, framework }: AdapterWanted,
  frameworkVersion: string,
): string {
  const latest = stableOf(published).at(-1);
  const range = latest?.peerDependencies?.[framework] ?? "a version that it does not name";
  return `No version of ${adapter} takes ${framework} ${frameworkVersion}: ${adapter} ${latest?.version ?? ""} wants ${framework} ${range}. Update ${framework} in your app, or measure without this platform.`;
}

/**
 * Lists the packages that an adapter wants beside itself and that the app does not have in a version that
 * fits, as "name@version".
 */
function missingPeers(
  build: OwnAppBuild,
  { peerDependencies = {} }: AdapterVersion,
  pinned: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(peerDependencies)
    .filter(([name, range]) => {
      const installed = build.installedVersion(name);
      return pinned[name] !== undefined && (installed === null || !isInPeerRange(installed, range));
    })
    .map(([name]) => `${name}@${pinned[name]}`);
}

async function installedAdapter(build: OwnAppBuild, adapter: string): Promise<AdapterVersion | null> {
  const folder = packageFolder(build, adapter);
  if (folder === null) {
    return null;
  }
  return parseJson(await readFile(join(folder, "package.json"), "utf8")) as AdapterVersion;
}

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

/** Milliseconds within which the registry has to answer. */
const ASKED_FOR_MS = 60_000;

/** Asks the registry that npm is set up with, in the app's folder. */
async function publishedVersions(adapter: string, cwd: string): Promise<readonly AdapterVersion[]> {
  // For "*" npm answers with the latest one alone; and with texts in place of objects where the first has one
  // field of them.
  const fields = ["name", "version", "peerDependencies"];
  const command = ["npm", "view", `${adapter}@>=0`, ...fields, "--json"] as const;
  const { failure, stdout, output } = await runProgram({ command, cwd, withinMs: ASKED_FOR_MS });
  const answer = failure === null ? parseJson(stdout) : undefined;
  if (answer === undefined) {
    const [line = ""] = output.trim().split("\n");
    throw new UserError(
      `The versions of ${adapter} cannot be asked from the registry of npm: ${failure ?? "its answer is no JSON"} (${line}). See that \`npm view ${adapter}\` works, then start again.`,
    );
  }
  return (Array.isArray(answer) ? answer : [answer]) as AdapterVersion[];
}

/** The adapters that bring apps of a framework to platforms. */
export interface AdaptersWanted {
  /** The adapter's package by platform. */
  readonly adapters: Readonly<Record<PlatformId, string>>;
  /** The framework's package. */
  readonly framework: string;
  /**
   * Versions that Evenbench's own app is built with, by package name: those of the adapters, and of other
   * packages that they want.
   */
  readonly pinned: Readonly<Record<string, string>>;
}

/**
 * Adds the adapters of all platforms that are asked for, in versions that take the app's framework.
 *
 * @returns the reason in one sentence, by id of each platform that has no such version.
 */
export async function addAdapters(
  build: OwnAppBuild,
  { adapters, framework, pinned }: AdaptersWanted,
): Promise<Readonly<Record<PlatformId, string>>> {
  const refusals: Record<PlatformId, string> = {};
  const packages = new Set<string>();
  for (const platform of build.platforms) {
    const adapter = adapters[platform];
    if (adapter === undefined) {
      refusals[platform] = `There is no adapter of ${framework} for ${platform} here.`;
      continue;
    }
    const choice = await chooseAdapter(build, { adapter, framework, pinned });
    if ("refusal" in choice) {
      refusals[platform] = choice.refusal;
    } else {
      for (const name of choice.packages) {
        packages.add(name);
      }
    }
  }
  await build.addPackages([...packages]);
  return refusals;
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
