import { join } from "node:path";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import type { CaseManifest, Host, Platform, ServeOptions } from "@evenbench/core";
import { discoverApps, discoverPlatforms, startAll } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { afterAll, beforeAll } from "vitest";

export interface BuiltTarget {
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

type ServeSettings = Pick<ServeOptions, "token" | "environment">;

interface FoundPlatforms {
  readonly platforms: readonly Platform[];
  readonly missing: readonly { readonly id: string; readonly what: string | null }[];
}

export async function discoverServing(): Promise<FoundPlatforms> {
  const found = await discoverPlatforms();
  const missing = found.map((platform) => ({ id: platform.id, what: platform.missing?.() ?? null }));
  return { platforms: found.filter((_, index) => missing[index]?.what === null), missing };
}

export async function discoverTargets(): Promise<BuiltTarget[]> {
  const targets: BuiltTarget[] = [];
  const { platforms } = await discoverServing();
  for (const app of await discoverApps()) {
    const cases = await app.cases();
    for (const platform of platforms) {
      const deployable = app.deployable(platform.id);
      if (deployable === null) continue;
      targets.push({ name: `${app.id}@${platform.id}`, app: app.id, platform, deployable, cases });
    }
  }
  return targets;
}

export async function serveTargets(
  targets: readonly BuiltTarget[],
  logFolder: string,
  settings: ServeSettings = {},
): Promise<ServedTarget[]> {
  const start = async (target: BuiltTarget): Promise<ServedTarget> => {
    const logFile = join(logFolder, `${target.name}.log`);
    const { deployable, platform } = target;
    const alike = { deployable, port: 0, cores: null, workers: 1, v8Flags: [] };
    return { ...target, host: await platform.serve({ ...alike, logFile, ...settings }), logFile };
  };
  return startAll(
    targets.map((target) => () => start(target)),
    ({ host }) => host.stop(),
    ([first]) => first?.reason,
  );
}

export async function stopTargets(targets: readonly ServedTarget[]): Promise<void> {
  await Promise.all(targets.map((target) => target.host.stop()));
}

export async function deployArtifact(
  artifactDirectory: string,
  folder: string,
  cases: readonly CaseManifest[],
): Promise<BuiltTarget[]> {
  const { platforms } = await discoverServing();
  return Promise.all(
    platforms.map(async (platform) => {
      const buildDeployable = await bundleBuilder(platform.id);
      const deployable = join(folder, platform.id);
      await buildDeployable({ artifactDirectory, outDirectory: deployable });
      return { name: `bundle@${platform.id}`, app: "bundle", platform, deployable, cases };
    }),
  );
}

/** Serves them for the tests of a file or a block. They are there once its tests run. */
export function useTargets(
  find: (folder: string) => readonly BuiltTarget[] | Promise<readonly BuiltTarget[]>,
  settings: (folder: string) => ServeSettings | Promise<ServeSettings> = () => ({}),
): readonly ServedTarget[] {
  const folder = testFolder();
  const served: ServedTarget[] = [];
  beforeAll(async () => {
    served.push(...(await serveTargets(await find(folder), folder, await settings(folder))));
  });
  afterAll(() => stopTargets(served));
  return served;
}
