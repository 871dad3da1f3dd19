// The cases of targets, as their apps name them.
import { type AppDefinition, type CaseManifest, firstRepeated, messageOf, UserError } from "@evenbench/core";
import { discoverApps } from "@evenbench/host";
import { missingServices } from "@evenbench/host/services";
import { builtAppOf, type Target } from "@evenbench/runner";
import { oneOf } from "./nearest.ts";
import { sayLeftOut, sayNote } from "./say.ts";

/** A case of an app. */
export interface OfApp<Case> {
  /** Id of the app. */
  readonly app: string;
  readonly manifest: Case;
}

/** The fields that a case is found by. */
export type NamedCase = Pick<CaseManifest, "id" | "path" | "title">;

/** The cases that are measured, and those of the same targets that are not. */
export interface ChosenCases {
  /** Cases by the id of their app. */
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  /** Ids of the cases that the targets serve, and that are not in `cases`. */
  readonly otherCaseIds: readonly string[];
}

/**
 * Gives the wanted cases of targets, without those that nobody named and whose services some target cannot have; a line
 * says so.
 */
export async function casesToMeasure(
  targets: readonly Target[],
  wanted: readonly string[],
  isNamed: boolean,
): Promise<ChosenCases> {
  const all = await casesOfApps(targets, (app) => app.cases());
  const meant = pickCases(wanted, all);
  const left = new Map(isNamed ? [] : await unserved(meant, targets));
  for (const [id, why] of left) {
    sayNote(`! ${id} is left out: ${why}`);
  }
  const measured = meant.filter(({ manifest }) => !left.has(manifest.id));
  const others = all.filter((entry) => !measured.includes(entry));
  return { cases: byApp(measured), otherCaseIds: others.map(({ manifest }) => manifest.id) };
}

/** Gives the cases whose services cannot be started for all targets, each with the reason. */
async function unserved(
  cases: readonly OfApp<CaseManifest>[],
  targets: readonly Target[],
): Promise<readonly (readonly [id: string, why: string])[]> {
  const missing = await missingServices(cases.flatMap(({ manifest }) => manifest.services));
  const remote = targets.find(({ place }) => place === "url");
  return cases.flatMap(({ manifest: { id, services } }): (readonly [id: string, why: string])[] => {
    const lacking = missing.find((service) => services.includes(service.id));
    if (lacking !== undefined) {
      return [[id, lacking.missing]];
    }
    const [first] = services;
    if (first === undefined || remote === undefined) {
      return [];
    }
    return [[id, `${first} cannot be started for ${remote.name}, which runs elsewhere.`]];
  });
}

/** Lists the cases of targets by the id of their app, from sources: nothing needs to be built. */
export async function listCases(
  targets: readonly Target[],
): Promise<Readonly<Record<string, readonly NamedCase[]>>> {
  return byApp(await casesOfApps(targets, sourcesOf));
}

/** Reads an app's cases from its sources where it can, so that it need not be built. */
export function sourcesOf(app: AppDefinition): Promise<readonly NamedCase[]> {
  return app.casesInSources?.() ?? app.cases();
}

function byApp<Case>(all: readonly OfApp<Case>[]): Readonly<Record<string, readonly Case[]>> {
  const groups = [...Map.groupBy(all, ({ app }) => app)];
  return Object.fromEntries(groups.map(([app, cases]) => [app, cases.map(({ manifest }) => manifest)]));
}

export async function casesOfApps<Case>(
  targets: readonly Target[],
  read: (app: AppDefinition) => Promise<readonly Case[]>,
): Promise<readonly OfApp<Case>[]> {
  const apps = appsNaming(await discoverApps(undefined, sayLeftOut), targets);
  const cases = apps.map(async (app) => {
    try {
      return (await read(app)).map((manifest) => ({ app: app.casesOf ?? app.id, manifest }));
    } catch (error) {
      if (error instanceof UserError) {
        throw error;
      }
      const why = `The app "${app.id}" cannot name its cases: ${messageOf(error)} Fix its app.ts.`;
      throw new UserError(why);
    }
  });
  return (await Promise.all(cases)).flat();
}

/**
 * Finds the apps that name the cases of targets: of two that build the same pages the second, whose rules hold for
 * both.
 */
function appsNaming(all: readonly AppDefinition[], targets: readonly Target[]): readonly AppDefinition[] {
  const built = new Set(targets.map(builtAppOf));
  const apps = all.filter(({ id }) => built.has(id));
  const secondBuilds = new Set(apps.map(({ casesOf }) => casesOf));
  return apps.filter(({ id }) => !secondBuilds.has(id));
}

/** Picks the wanted cases, also by path: "empty" is "next-empty" where that app alone is chosen. */
export function pickCases<Case extends NamedCase>(
  wanted: readonly string[],
  all: readonly OfApp<Case>[],
): readonly OfApp<Case>[] {
  const ids = all.map(({ manifest }) => manifest.id);
  const repeated = firstRepeated(ids);
  if (repeated !== null) {
    throw new UserError(`Two apps have a case "${repeated}". Give one another id.`);
  }
  const byPath = new Map(all.map(({ manifest: { id, path } }) => [path.slice(1), id]));
  const named = wanted.map((word) => (ids.includes(word) ? word : (byPath.get(word) ?? word)));
  const picked = oneOf("case", named, ids);
  return all.filter(({ manifest }) => picked.includes(manifest.id));
}
