import {
  type AppDefinition,
  ARTIFACT_APP,
  baselineAmong,
  type Platform,
  recordOfPlatform,
} from "@evenbench/core";
import { discoverApps, discoverPlatforms, type LeaveOut } from "@evenbench/host";
import type { RunTarget } from "@evenbench/results";
import type { LocalTarget, Target } from "./options.ts";

/**
 * Every app on every platform for which it has a deployable, in order of app and platform.
 *
 * @param leaveOut is told of an `app.ts` or `platform.ts` that cannot be loaded, and the others go on.
 * @throws {HostError} without `leaveOut`, for the first such file.
 */
export async function listTargets(leaveOut?: LeaveOut): Promise<LocalTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  return apps.flatMap((app) => platforms.flatMap((platform) => localTarget(app, platform) ?? []));
}

function localTarget(app: AppDefinition, platform: Platform): LocalTarget | null {
  const deployable = app.deployable(platform.id);
  if (deployable === null) return null;
  // The artifact's targets are named by their platform alone.
  const name = app.id === ARTIFACT_APP ? platform.id : `${app.id}-${platform.id}`;
  return { place: "local", name, app, platform, deployable };
}

export function appIdOf(target: Target): string {
  return target.place === "local" ? target.app.id : target.app;
}

/** A target, or the baseline's A/A copy, as it takes part in a comparison. */
export interface Subject {
  readonly name: string;
  readonly target: Target;
  readonly copyOf: string | null;
}

/** The targets of one app with the A/A copy of their baseline. */
export function subjectsOf(targets: readonly Target[], appId: string, baseline: string): Subject[] {
  const own = targets.filter((target) => appIdOf(target) === appId);
  const subjects = own.map((target): Subject => ({ name: target.name, target, copyOf: null }));
  const { name } = baselineAmong(subjects.map(runTargetOf), baseline) ?? {};
  const chosen = subjects.find((subject) => subject.name === name);
  return chosen === undefined
    ? subjects
    : [...subjects, { ...chosen, name: `${chosen.name}~copy`, copyOf: chosen.name }];
}

/** A subject as `run.json` has it. */
export function runTargetOf({ name, target, copyOf }: Subject): RunTarget {
  const local = target.place === "local";
  const { stranger } = target;
  const command = stranger?.command ?? null;
  const platform = local && stranger === undefined ? target.platform : null;
  return {
    name,
    app: appIdOf(target),
    platform: platform?.id ?? null,
    ...(platform !== null && { about: recordOfPlatform(platform, "local") }),
    place: target.place,
    url: local ? null : target.url,
    copyOf,
    ...(command !== null && { command }),
  };
}
