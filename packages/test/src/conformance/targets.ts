import { join } from "node:path";
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

export async function discoverServing() {
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
      if (deployable === null) {
        continue;
      }
      targets.push({ name: `${app.id}@${platform.id}`, app: app.id, platform, deployable, cases });
    }
  }
  return targets;
}

/** Serves them for the tests of a file or a block. They are there once its tests run. */
export function useTargets(
  find: (folder: string) => readonly BuiltTarget[] | Promise<readonly BuiltTarget[]>,
  settings: (folder: string) => ServeSettings | Promise<ServeSettings> = () => ({}),
): readonly ServedTarget[] {
  const folder = testFolder();
  const served: ServedTarget[] = [];
  const stop = ({ host }: ServedTarget) => host.stop();
  beforeAll(async () => {
    const alike = { port: 0, cores: null, workers: 1, v8Flags: [], ...(await settings(folder)) };
    const starts = (await find(folder)).map((target) => async (): Promise<ServedTarget> => {
      const { name, deployable, platform } = target;
      const logFile = join(folder, `${name}.log`);
      return { ...target, host: await platform.serve({ ...alike, deployable, logFile }), logFile };
    });
    served.push(...(await startAll(starts, stop)));
  });
  afterAll(() => Promise.all(served.map(stop)));
  return served;
}
