import type { AppDefinition, Platform } from "@evenbench/core";
import { discoverApps, discoverPlatforms } from "@evenbench/host";

/** The app whose artifact is built anew after each change, for every platform. */
export const ARTIFACT_APP = "bundle";

/** What can be developed with a server of its own. */
export interface DevTarget {
  /** The platform's id for handler cases, the app's id for a framework. */
  readonly name: string;
  readonly app: AppDefinition;
  /** null where the framework's own server for developing stands for all platforms. */
  readonly platform: Platform | null;
}

/** The handler cases on every platform, then every app with a server of its own for developing. */
export async function listDevTargets(): Promise<DevTarget[]> {
  const [apps, platforms] = await Promise.all([discoverApps(), discoverPlatforms()]);
  const ofArtifact = apps
    .filter(({ id }) => id === ARTIFACT_APP)
    .flatMap((app) => platforms.map((platform) => ({ app, platform })))
    .filter(({ app, platform }) => app.deployable(platform.id) !== null)
    .map(({ app, platform }): DevTarget => ({ name: platform.id, app, platform }));
  const frameworks = apps
    .filter(({ develop }) => develop !== undefined)
    .map((app): DevTarget => ({ name: app.id, app, platform: null }));
  return [...ofArtifact, ...frameworks];
}
