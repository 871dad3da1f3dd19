import { type AppDefinition, type CaseManifest, messageOf, UserError } from "@evenbench/core";
import { discoverApps } from "@evenbench/host";
import { appIdOf, type Target } from "@evenbench/runner";
import { sayLeftOut } from "./left-out.ts";
import { pick } from "./nearest.ts";

type NamedCase = Pick<CaseManifest, "id" | "path">;

export interface ChosenCases {
  /** By app id; apps of which no case was chosen are left out. */
  readonly byApp: Readonly<Record<string, readonly CaseManifest[]>>;
  readonly otherIds: readonly string[];
}

/**
 * The targets whose app has one of the cases named, or all where none is named. Reads sources alone: a wrong
 * name is reported before anything is built, and nothing is built in vain.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function targetsWith<Some extends Target>(
  targets: readonly Some[],
  wanted: readonly string[],
): Promise<readonly Some[]> {
  if (wanted.length === 0) return targets;
  const byApp = await casesOf(targets, sourcesOf);
  const ids = idsNamed(wanted, byApp);
  const apps = byApp.filter(([, cases]) => cases.some(({ id }) => ids.has(id))).map(([app]) => app);
  return targets.filter((target) => apps.includes(appIdOf(target)));
}

/**
 * Ids of the cases named, or of all, that the targets' apps serve. Reads sources alone.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function casesInSources(
  targets: readonly Target[],
  wanted: readonly string[] = [],
): Promise<readonly string[]> {
  return [...idsNamed(wanted, await casesOf(targets, sourcesOf))];
}

const sourcesOf = (app: AppDefinition) => app.casesInSources?.() ?? app.cases();

/**
 * The cases named, or all, of the targets' apps. Reads build output.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function chooseCases(
  targets: readonly Target[],
  wanted: readonly string[],
): Promise<ChosenCases> {
  const all = await casesOf(targets, (app) => app.cases());
  const ids = idsNamed(wanted, all);
  const every = all.flatMap(([, cases]) => cases.map(({ id }) => id));
  const byApp = all
    .map(([app, cases]) => [app, cases.filter(({ id }) => ids.has(id))] as const)
    .filter(([, cases]) => cases.length > 0);
  return { byApp: Object.fromEntries(byApp), otherIds: every.filter((id) => !ids.has(id)) };
}

async function casesOf<Case extends NamedCase>(
  targets: readonly Target[],
  read: (app: AppDefinition) => Promise<readonly Case[]>,
): Promise<(readonly [app: string, cases: readonly Case[]])[]> {
  const appIds = new Set(targets.map(appIdOf));
  const apps = (await discoverApps(undefined, sayLeftOut)).filter(({ id }) => appIds.has(id));
  return Promise.all(apps.map(async (app) => [app.id, await readOf(app, read)] as const));
}

/** @throws {UserError} for whatever the app's own code throws. */
async function readOf<Case>(
  app: AppDefinition,
  read: (app: AppDefinition) => Promise<readonly Case[]>,
): Promise<readonly Case[]> {
  try {
    return await read(app);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The app "${app.id}" cannot name its cases: ${messageOf(error)} Fix its app.ts.`, {
      cause: error,
    });
  }
}

/** A case may be asked for by its path, too: "empty" stands for "next-empty" where only that app was chosen. */
function idsNamed(
  wanted: readonly string[],
  byApp: readonly (readonly [app: string, cases: readonly NamedCase[]])[],
): ReadonlySet<string> {
  const every = byApp.flatMap(([, cases]) => cases);
  const ids = every.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new TypeError(`Two apps have a case "${twice}": give one another id.`);
  const byPath = new Map(every.map(({ id, path }) => [path.slice(1), id]));
  const named = wanted.map((word) => (ids.includes(word) ? word : (byPath.get(word) ?? word)));
  return new Set(pick("case", named, ids));
}
