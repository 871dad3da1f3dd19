import {
  failedBuild,
  type OwnAppBuild,
  type OwnAppDeployable,
  type OwnPackageJson,
  type PlatformId,
  parseJson,
  UserError,
} from "@evenbench/core";
import { packageJsonsIn, readPackageJson } from "@evenbench/core/package-json";
import { runProgram } from "@evenbench/host";
import { compare, prerelease, satisfies, valid } from "semver";
import { packageFolder } from "./own-build.ts";

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
  /** Versions that Evenbench's own app is built with, by package name: the adapter's, and those that it wants. */
  readonly pinned: Readonly<Record<string, string>>;
}

/** The version of an adapter that an app gets, or the reason why there is none. */
export type AdapterChoice =
  | {
      /** Packages to add to the app, such as "wrangler@4.164.0". Empty where all of it is installed. */
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
  const installed = installedAdapter(build, adapter);
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
 * Finds the version of an adapter whose peer range has its framework's: `preferred`, else the latest that is no
 * prerelease; null without one.
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

/** Lists the packages that an adapter wants and that the app lacks in a fitting version, as "name@version". */
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

function installedAdapter(build: OwnAppBuild, adapter: string): AdapterVersion | null {
  const folder = packageFolder(build, adapter);
  return folder === null ? null : versionIn(readPackageJson(folder));
}

/** Gives the part of a package.json that a choice needs; null where it names no version. */
function versionIn(packageJson: OwnPackageJson | null): AdapterVersion | null {
  const { version, peerDependencies = {} } = packageJson ?? {};
  return typeof version === "string" ? { version, peerDependencies } : null;
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
  const answer = failure === null ? packageJsonsIn(parseJson(stdout)) : null;
  if (answer === null) {
    const [line = ""] = output.trim().split("\n");
    throw new UserError(
      `The versions of ${adapter} cannot be asked from the registry of npm: ${failure ?? "its answer names none"} (${line}). See that \`npm view ${adapter}\` works, then start again.`,
    );
  }
  return answer.flatMap((packageJson) => versionIn(packageJson) ?? []);
}

/** The adapters that bring apps of a framework to platforms. */
export interface AdaptersWanted {
  /** The adapter's package by platform. */
  readonly adapters: Readonly<Record<PlatformId, string>>;
  /** The framework's package. */
  readonly framework: string;
  /** Versions that Evenbench's own app is built with, by package name. */
  readonly pinned: Readonly<Record<string, string>>;
}

/**
 * Adds the adapters of all platforms that are asked for, in versions that take the app's framework. One that cannot be
 * added costs its platform alone.
 *
 * @returns the platforms that have none, with reasons.
 */
export async function addAdapters(
  build: OwnAppBuild,
  { adapters, framework, pinned }: AdaptersWanted,
): Promise<Readonly<Record<PlatformId, OwnAppDeployable>>> {
  const lacking: Record<PlatformId, OwnAppDeployable> = {};
  const wanted = new Map<PlatformId, readonly string[]>();
  for (const platform of build.platforms) {
    const adapter = adapters[platform];
    if (adapter === undefined) {
      lacking[platform] = { refusal: `There is no adapter of ${framework} for ${platform} here.` };
      continue;
    }
    try {
      const choice = await chooseAdapter(build, { adapter, framework, pinned });
      if ("refusal" in choice) {
        lacking[platform] = choice;
      } else {
        wanted.set(platform, choice.packages);
      }
    } catch (error) {
      lacking[platform] = failedBuild(error);
    }
  }
  try {
    await build.addPackages([...new Set([...wanted.values()].flat())]);
  } catch {
    // One of them may be in the way of the others.
    for (const [platform, packages] of wanted) {
      await build.addPackages(packages).catch((error: unknown) => {
        lacking[platform] = failedBuild(error);
      });
    }
  }
  return lacking;
}
