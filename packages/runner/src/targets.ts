import type { AppDefinition, Platform, RunTarget } from "@evenbench/core";
import { discoverApps, discoverPlatforms } from "@evenbench/host";
import type { LocalTarget, Target } from "./options.ts";

/** The app whose targets are named by their platform alone. */
const UNNAMED_APP = "bundle";

/**
 * Every app on every platform for which it has a deployable, in order of app and platform.
 *
 * @throws {TypeError} when an `app.ts` or `platform.ts` is malformed.
 */
export async function listTargets(): Promise<LocalTarget[]> {
  const [apps, platforms] = await Promise.all([discoverApps(), discoverPlatforms()]);
  return apps.flatMap((app) => platforms.flatMap((platform) => localTarget(app, platform) ?? []));
}

function localTarget(app: AppDefinition, platform: Platform): LocalTarget | null {
  const deployable = app.deployable(platform.id);
  if (deployable === null) return null;
  const name = app.id === UNNAMED_APP ? platform.id : `${app.id}-${platform.id}`;
  return { place: "local", name, app, platform, deployable };
}

export function appIdOf(target: Target): string {
  return target.place === "local" ? target.app.id : target.app;
}

/** A target, or the baseline's twin, as it takes part in a comparison. */
export interface Contender {
  readonly name: string;
  readonly source: Target;
  readonly twinOf: string | null;
}

/**
 * The targets of one app with the twin of their baseline, which is the one named `baseline`, else the one on the platform
 * of that name, else the first.
 */
export function contendersOf(targets: readonly Target[], appId: string, baseline: string): Contender[] {
  const own = targets.filter((target) => appIdOf(target) === appId);
  const chosen =
    own.find(({ name }) => name === baseline) ??
    own.find((target) => target.place === "local" && target.platform.id === baseline) ??
    own[0];
  const contenders = own.map((source): Contender => ({ name: source.name, source, twinOf: null }));
  if (chosen === undefined) return contenders;
  return [...contenders, { name: `${chosen.name}~twin`, source: chosen, twinOf: chosen.name }];
}

/** A contender as `run.json` has it. */
export function runTargetOf({ name, source, twinOf }: Contender): RunTarget {
  const local = source.place === "local";
  return {
    name,
    app: appIdOf(source),
    platform: local ? source.platform.id : null,
    place: source.place,
    url: local ? null : source.url,
    twinOf,
  };
}
