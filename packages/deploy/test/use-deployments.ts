import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { afterEach, beforeEach, vi } from "vitest";
import {
  DEFAULT_REGION,
  type Deployment,
  type Deployments,
  deployTargets,
  destroyDeployments,
  planDeployments,
  readDeployments,
  toolRunner,
} from "../src/index.ts";

const run = toolRunner(new AbortController().signal);

export interface TestDeployments {
  readonly confirmed: readonly string[];
  targetOf(appId: string): Promise<LocalTarget>;
  deploy(
    appId: string,
    options?: { readonly region?: string; readonly accounting?: boolean },
  ): Promise<readonly Deployment[] | null>;
  destroy(): Promise<readonly Deployment[] | null>;
  read(): Promise<Deployments>;
}

/** The scratch folder is the home of the platform's tools, too. */
export function useDeployments(
  platformId: string,
  environment: Readonly<Record<string, string>>,
): TestDeployments {
  const confirmed: string[] = [];
  const folder = testFolder();
  beforeEach(() => {
    const homes = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    for (const [name, value] of Object.entries({ ...homes, EVENBENCH_TOKEN: "", ...environment }))
      vi.stubEnv(name, value);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const file = () => join(folder, "deployments.json");
  const confirm = async (lines: readonly string[]) => confirmed.push(lines.join("\n")) > 0;
  async function targetOf(appId: string): Promise<LocalTarget> {
    const all = await listTargets();
    const target = all.find(({ app, platform }) => app.id === appId && platform.id === platformId);
    if (target === undefined) throw new Error(`There is no app ${appId} on ${platformId}.`);
    return target;
  }
  return {
    confirmed,
    targetOf,
    read: () => readDeployments(file()),
    deploy: async (appId, { region = DEFAULT_REGION, accounting = false } = {}) =>
      deployTargets({
        planned: planDeployments([await targetOf(appId)]),
        region,
        accounting,
        file: file(),
        run,
        confirm,
      }),
    async destroy() {
      const { platform } = await targetOf("bundle");
      return destroyDeployments({ file: file(), platforms: [platform], run, confirm });
    },
  };
}

/** A server of this machine, closed as a deployed one is, and what is noted of it. */
export async function serveDeployed(
  { platform, deployable, app, name }: LocalTarget,
  folder: string,
  token: string,
) {
  const at = { port: 0, logFile: join(folder, `${name}.log`), cores: null, workers: 1, v8Flags: [] };
  const host = await platform.serve({ ...at, deployable, token });
  const deployment: Deployment = {
    app: app.id,
    platform: platform.id,
    name: "evenbench",
    state: "deployed",
    url: host.url,
    accountsUrl: null,
    digest: "unknown",
    region: DEFAULT_REGION,
    at: "2026-11-01T00:00:00.000Z",
  };
  return { host, deployment };
}
