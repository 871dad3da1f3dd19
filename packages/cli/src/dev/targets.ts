import { type AppDefinition, ARTIFACT_APP, type Platform } from "@evenbench/core";
import { discoverApps, discoverPlatforms, type LeaveOut } from "@evenbench/host";
import { byPlatform } from "@evenbench/report/parts";

export interface DevTarget {
  readonly name: string;
  readonly app: AppDefinition;
  /** null where the framework's own server for developing stands for all platforms. */
  readonly platform: Platform | null;
}

/** The handler cases on every platform, then every app with a server of its own for developing. */
export async function listDevTargets(leaveOut?: LeaveOut): Promise<DevTarget[]> {
  const apps = await discoverApps(undefined, leaveOut);
  const platforms = await discoverPlatforms(undefined, leaveOut);
  const ofArtifact = apps
    .filter(({ id }) => id === ARTIFACT_APP)
    .flatMap((app) => platforms.map((platform) => ({ app, platform })))
    .filter(({ app, platform }) => app.deployable(platform.id) !== null)
    .map(({ app, platform }): DevTarget => ({ name: platform.id, app, platform }))
    .toSorted((a, b) => byPlatform(placed(a), placed(b)));
  const frameworks = apps
    .filter(({ develop }) => develop !== undefined)
    .map((app): DevTarget => ({ name: app.id, app, platform: null }));
  return [...ofArtifact, ...frameworks];
}

function placed({ name, platform }: DevTarget) {
  return { name, platform: platform?.id ?? null, copyOf: null, about: { colour: platform?.colour ?? null } };
}
