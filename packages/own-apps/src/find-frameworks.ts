import {
  type NamedOwnAppFramework,
  type OwnAppFinding,
  type OwnAppSource,
  type Platform,
  UserError,
} from "@evenbench/core";
import { discoverOwnApps, repositoryRoot } from "@evenbench/host";
import { memberFolders } from "./workspace.ts";

/** A framework that builds an app, and what it found in the app. */
export interface Found {
  readonly framework: NamedOwnAppFramework;
  readonly finding: OwnAppFinding;
}

/** Lists the platforms, of some, for which a framework builds what it found. */
export function platformsOf({ finding }: Found, platforms: readonly Platform[]): readonly Platform[] {
  const { refusals, platforms: own } = finding;
  return platforms.filter(({ id }) => refusals[id] === undefined && (own?.includes(id) ?? true));
}

/** The `order` of frameworks that build an app by its own configuration. */
const BY_CONFIGURATION = 0;

/**
 * Finds what can build or take an app: a framework whose configuration it has, alone; else what takes a finished build of
 * it before what makes something of its modules. The first of these is alone where it is for every platform. Those that
 * are for platforms of their own stand beside each other. None where nothing can.
 */
export async function findFrameworks(source: OwnAppSource): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const framework of await discoverOwnApps(repositoryRoot)) {
    const finding = await framework.detect(source);
    if (finding === null) {
      continue;
    }
    if (framework.order === BY_CONFIGURATION && finding.isFinished !== true) {
      return [{ framework, finding }];
    }
    found.push({ framework, finding });
  }
  const ranked = found.toSorted((a, b) => Number(isFinished([b])) - Number(isFinished([a])));
  const [first] = ranked;
  if (first?.finding.platforms === undefined) {
    return ranked.slice(0, 1);
  }
  return ranked.filter(({ finding }) => finding.platforms !== undefined);
}

/** Tells whether an app was built already, as far as frameworks take it: nothing of it is bundled here. */
export function isFinished(found: readonly Found[]): boolean {
  return found.every(({ finding }) => finding.isFinished === true);
}

/**
 * Gives the script of package.json that builds an app where no framework's configuration says how; null where there is
 * none, what it makes is there, or it builds the members of a workspace.
 */
export function ownBuildOf(source: OwnAppSource, found: readonly Found[]): string | null {
  const isConfigured = found.some(({ framework }) => framework.order === BY_CONFIGURATION);
  const isThere = found.some(({ finding }) => finding.isFinished);
  const hasScript = source.packageJson?.scripts?.build !== undefined;
  const isOfMembers = found.length === 0 && memberFolders(source.folder).length > 0;
  return hasScript && !isConfigured && !isThere && !isOfMembers ? "build" : null;
}

/** Number of a workspace's members that are named. */
const MEMBERS_NAMED = 6;

/** Says that nothing can build or take an app. */
export async function unknownApp({ folder }: OwnAppSource): Promise<UserError> {
  const members = memberFolders(folder);
  if (members.length > 0) {
    const named = members.slice(0, MEMBERS_NAMED).join(", ");
    return new UserError(
      `${folder} is a workspace, and no app itself. Give the folder of the member that is the app: it has ${named}${members.length > MEMBERS_NAMED ? " and others" : ""}.`,
    );
  }
  const known = (await discoverOwnApps(repositoryRoot)).map(({ title }) => title).join(", ");
  return new UserError(
    `${folder} is no app that Evenbench knows. It knows: ${known}. Give the folder with the app's own package.json; for a server that a command starts, add --start "npm start".`,
  );
}
