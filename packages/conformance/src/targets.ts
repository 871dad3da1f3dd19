import { join } from "node:path";
import type { CaseManifest, Host, Platform, ServeOptions } from "@evenbench/core";
import { bundleBuilder } from "@evenbench/deployable";
import { discoverApps, discoverPlatforms } from "@evenbench/host";

/** An app on a platform, as it was built. */
export interface BuiltTarget {
  /** "<app>@<platform>" */
  readonly name: string;
  readonly app: string;
  readonly platform: Platform;
  readonly deployable: string;
  readonly cases: readonly CaseManifest[];
}

export interface ServedTarget extends BuiltTarget {
  readonly host: Host;
  readonly logFile: string;
}

/** Every app on every platform that it has been built for. */
export async function discoverTargets(): Promise<BuiltTarget[]> {
  const targets: BuiltTarget[] = [];
  for (const app of await discoverApps()) {
    const cases = await app.cases();
    for (const platform of await discoverPlatforms()) {
      const deployable = app.deployable(platform.id);
      if (deployable === null) continue;
      targets.push({ name: `${app.id}@${platform.id}`, app: app.id, platform, deployable, cases });
    }
  }
  return targets;
}

/**
 * Starts a host for each target.
 *
 * @param access as in `ServeOptions`; default: open.
 * @throws when one does not start; those that did are stopped then.
 */
export async function serveTargets(
  targets: readonly BuiltTarget[],
  logFolder: string,
  settings: Pick<ServeOptions, "token" | "environment"> = {},
): Promise<ServedTarget[]> {
  const started = await Promise.allSettled(
    targets.map(async (target): Promise<ServedTarget> => {
      const logFile = join(logFolder, `${target.name}.log`);
      const { deployable, platform } = target;
      const host = await platform.serve({
        deployable,
        port: 0,
        logFile,
        cores: null,
        workers: 1,
        v8Flags: [],
        ...settings,
      });
      return { ...target, host, logFile };
    }),
  );
  const served = started.filter((one) => one.status === "fulfilled").map((one) => one.value);
  const failed = started.find((one) => one.status === "rejected");
  if (failed !== undefined) {
    await stopTargets(served);
    throw failed.reason;
  }
  return served;
}

export async function stopTargets(targets: readonly ServedTarget[]): Promise<void> {
  await Promise.all(targets.map((target) => target.host.stop()));
}

/** Builds each platform's deployable of an artifact by the platform's own build.ts, below a folder. */
export async function deployArtifact(
  artifactDirectory: string,
  folder: string,
  cases: readonly CaseManifest[],
): Promise<BuiltTarget[]> {
  const platforms = await discoverPlatforms();
  return Promise.all(
    platforms.map(async (platform) => {
      const buildDeployable = await bundleBuilder(platform.id);
      const deployable = join(folder, platform.id);
      await buildDeployable({ artifactDirectory, outDirectory: deployable });
      return { name: `bundle@${platform.id}`, app: "bundle", platform, deployable, cases };
    }),
  );
}
