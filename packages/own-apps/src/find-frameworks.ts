import { type NamedOwnAppFramework, type OwnAppFinding, type OwnAppSource, UserError } from "@evenbench/core";
import { discoverOwnApps, repositoryRoot } from "@evenbench/host";

/** A framework that builds an app, and what it found in the app. */
export interface Found {
  readonly framework: NamedOwnAppFramework;
  readonly finding: OwnAppFinding;
}

/** The `order` of frameworks that build an app by its own configuration. */
const BY_CONFIGURATION = 0;

/**
 * Finds what can build or take an app: a framework whose configuration it has; else all that take what a build of it
 * made, with those that make something for a platform of their own; else the first that can make something of its
 * modules. None where nothing can.
 */
export async function findFrameworks(source: OwnAppSource): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const framework of await discoverOwnApps(repositoryRoot)) {
    const finding = await framework.detect(source);
    if (finding === null) {
      continue;
    }
    if (framework.order === BY_CONFIGURATION) {
      return [{ framework, finding }];
    }
    found.push({ framework, finding });
  }
  const finished = found.filter(({ finding }) => finding.isFinished);
  if (finished.length === 0) {
    return found.slice(0, 1);
  }
  const taken = new Set(finished.flatMap(({ finding }) => finding.platforms ?? []));
  const ofOthers = found.filter(
    ({ finding }) => !finding.isFinished && finding.platforms?.every((id) => !taken.has(id)) === true,
  );
  return [...finished, ...ofOthers];
}

/** Tells whether an app was built already, as far as frameworks take it: nothing of it is bundled here. */
export function isFinished(found: readonly Found[]): boolean {
  return found.every(({ finding }) => finding.isFinished === true);
}

/**
 * Gives the script of package.json that builds an app where no framework's configuration says how; null where there is
 * none, or what it makes is there.
 */
export function ownBuildOf(source: OwnAppSource, found: readonly Found[]): string | null {
  const isConfigured = found.some(({ framework }) => framework.order === BY_CONFIGURATION);
  const isThere = found.some(({ finding }) => finding.isFinished);
  const script = source.packageJson?.scripts?.build;
  return isConfigured || isThere || script === undefined ? null : "build";
}

/** Says that nothing can build or take an app. */
export async function unknownApp({ folder }: OwnAppSource): Promise<UserError> {
  const known = (await discoverOwnApps(repositoryRoot)).map(({ title }) => title).join(", ");
  return new UserError(
    `${folder} is no app that Evenbench knows. It knows: ${known}. Give the folder with the app's own package.json; for a server that a command starts, add --start "npm start".`,
  );
}
