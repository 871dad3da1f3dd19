import { ARTIFACT_APP, baselineAmong, type CaseManifest, OWN_SERVER_APP, pathWith } from "@evenbench/core";
import { discoverApps, discoverPlatforms, type LeaveOut, startedWith } from "@evenbench/host";
import type { PreflightTarget } from "@evenbench/probe/preflight";
import type { RunTarget } from "@evenbench/results";
import type { LocalTarget, Target } from "./options.ts";

/**
 * Lists all local targets: every app on every platform that can serve it.
 *
 * @param leaveOut is called with each definition that cannot be loaded. Default: the first one is thrown.
 */
export async function listTargets(leaveOut?: LeaveOut): Promise<LocalTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app) =>
    platforms.flatMap((platform): LocalTarget[] => {
      const deployable = app.deployable(platform.id);
      const name = app.id === ARTIFACT_APP ? platform.id : `${app.id}-${platform.id}`;
      return deployable === null ? [] : [{ place: "local", name, app, platform, deployable }];
    }),
  );
}

/** Gives the id of the app whose cases a target serves: targets of one such app are compared. */
export function appIdOf(target: Target): string {
  const { casesOf } = target.place === "local" ? target.app : target;
  return casesOf ?? builtAppOf(target);
}

/**
 * Gives the id of the app that a target is a build of: another one than that of its cases where two build one's
 * pages.
 */
export function builtAppOf(target: Target): string {
  return target.place === "local" ? target.app.id : target.app;
}

/** A target as it is measured: once by itself, and the baseline a second time as its copy. */
export interface MeasuredTarget {
  /** Name in all records: the target's own, or that of the copy, such as "node~copy". */
  readonly name: string;
  readonly target: Target;
  /** Name of the target that it is a copy of; null for any other. */
  readonly copyOf: string | null;
}

/**
 * Lists the targets of one app as they are measured: with a copy of the baseline. A baseline that is a running
 * server has none, and comes first: its copy would be the same process, which is faster when it has just
 * answered, so that the baseline alone would gain by it.
 *
 * @param baseline name or platform; where no target has it, the first one is the baseline.
 */
export function measuredTargetsOf(
  targets: readonly Target[],
  appId: string,
  baseline: string,
): MeasuredTarget[] {
  const measuredTargets = targets
    .filter((target) => appIdOf(target) === appId)
    .map((target): MeasuredTarget => ({ name: target.name, target, copyOf: null }));
  const { name } = baselineAmong(measuredTargets.map(runTargetOf), baseline) ?? {};
  const chosen = measuredTargets.find((measured) => measured.name === name);
  if (chosen === undefined) {
    return measuredTargets;
  }
  const others = measuredTargets.filter((measured) => measured !== chosen);
  return others.length > 0 && isRunningServer(chosen.target)
    ? [chosen, ...others]
    : [...measuredTargets, { ...chosen, name: `${chosen.name}~copy`, copyOf: chosen.name }];
}

/** Tells whether a target is a server of one's own that runs already. */
export function isRunningServer({ place, ownServer }: Target): boolean {
  return place === "url" && ownServer !== undefined;
}

/** Tells whether a target runs on a known platform. A user's own command does not: nobody knows what it runs on. */
export function isOfPlatform({ platform }: LocalTarget): boolean {
  return platform.id !== OWN_SERVER_APP;
}

/** Makes the record of a target, as a run's plan keeps it. */
export function runTargetOf({ name, target, copyOf }: MeasuredTarget): RunTarget {
  const { place, ownServer } = target;
  const command = ownServer?.facts.command ?? null;
  return {
    name,
    app: appIdOf(target),
    platform: place === "local" && isOfPlatform(target) ? target.platform.id : null,
    place,
    url: place === "local" ? null : target.url,
    copyOf,
    ...(place === "local" && target.state !== undefined && { state: target.state }),
    ...(command !== null && { command }),
  };
}

/** Gives the path at which a target is asked for a case, with its query. */
export function pathOf(target: Target, { path }: CaseManifest): string {
  return target.place === "local" ? pathWith(path, target.parameters ?? {}) : path;
}

/** Makes a target as preflight asks it. @param served where a local one is served, and by which processes; undefined for a URL. */
export function preflightTargetOf(
  target: Target,
  served: { readonly url: string; readonly pids: readonly number[] } | undefined,
): PreflightTarget {
  if (target.place === "url") {
    return target;
  }
  const { url = "", pids = [] } = served ?? {};
  const nodeEnv = startedWith("NODE_ENV", pids).find((value) => value !== "production");
  return { name: target.name, url, ownServer: target.ownServer, nodeEnv };
}
