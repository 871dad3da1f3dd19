import { join } from "node:path";
import type { DeployOrder, Host, RunTool } from "@evenbench/core";
import { discoverApps } from "@evenbench/host";
import { testFolder } from "@evenbench/host/testing/folder";
import { type LocalTarget, listTargets } from "@evenbench/runner";
import { beforeEach, expect, test, vi } from "vitest";
import {
  DEFAULT_REGION,
  type Deployment,
  type Deployments,
  deployTargets,
  destroyDeployments,
  planDeployments,
  readDeployments,
  toolRunner,
  writeDeployments,
} from "../src/index.ts";
import type { Recorder } from "./recorder.ts";

const run = toolRunner(new AbortController().signal);

/** The deployments of a test file, in a scratch folder. */
export interface UsedDeployments {
  /** Lists of what was to be confirmed so far, one for each question. */
  readonly confirmed: readonly string[];
  /** Runs tools of the platform. */
  readonly run: RunTool;
  /** Finds the target of an app on the platform. @throws {Error} where there is none. */
  targetOf(appId: string): Promise<LocalTarget>;
  /** Deploys an app. @throws {Error} where nothing was deployed. */
  deploy(appId: string, options?: Partial<Pick<DeployOrder, "region" | "accounting">>): Promise<Deployment>;
  /** Removes all deployments. @returns the removed ones. */
  destroy(): Promise<readonly Deployment[] | null>;
  /** Reads the list of deployments. */
  read(): Promise<Deployments>;
  /** Writes another list of deployments in its place. */
  write(list: Deployments): Promise<void>;
}

/** Prepares to deploy to a platform's recorded API. The scratch folder is the home of the platform's tools, too. */
export function useDeployments(
  platformId: string,
  environment: Readonly<Record<string, string>>,
): UsedDeployments {
  const confirmed: string[] = [];
  const folder = testFolder();
  beforeEach(() => {
    const homes = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    for (const [name, value] of Object.entries({ ...homes, EVENBENCH_TOKEN: "", ...environment })) {
      vi.stubEnv(name, value);
    }
  });

  const file = join(folder, "deployments.json");
  const confirm = async (lines: readonly string[]) => confirmed.push(lines.join("\n")) > 0;
  async function targetOf(appId: string): Promise<LocalTarget> {
    const all = await listTargets();
    const target = all.find(({ app, platform }) => app.id === appId && platform.id === platformId);
    if (target === undefined) {
      throw new Error(`There is no app ${appId} on ${platformId}.`);
    }
    return target;
  }
  async function deploy(appId: string, options: Partial<Pick<DeployOrder, "region" | "accounting">> = {}) {
    const planned = planDeployments([await targetOf(appId)]);
    const order = { region: DEFAULT_REGION, accounting: false, ...options };
    const [deployed] = (await deployTargets({ ...order, planned, file, run, confirm })) ?? [];
    if (deployed === undefined) {
      throw new Error("Nothing was deployed.");
    }
    return deployed;
  }
  async function destroy() {
    const { platform } = await targetOf("bundle");
    return destroyDeployments({ file, platforms: [platform], run, confirm });
  }
  const read = () => readDeployments(file);
  const write = (list: Deployments) => writeDeployments(file, list);
  return { confirmed, targetOf, deploy, destroy, run, read, write };
}

/** Lists the ids of the apps that have a deployable for a platform. */
export async function appsBuiltFor(platformId: string): Promise<readonly string[]> {
  return (await discoverApps()).filter((app) => app.deployable(platformId) !== null).map(({ id }) => id);
}

/**
 * Declares the tests of deploying and removing again.
 *
 * @param record starts the platform's API, over the names of the deployments that are there.
 * @param failure the words of its tool.
 */
export function testRepetition(
  { deploy, destroy, read, write }: Pick<UsedDeployments, "deploy" | "destroy" | "read" | "write">,
  record: (there: Set<string>, failures?: { left: number }) => Promise<Recorder>,
  failure: RegExp,
): void {
  test("a deployment that fails is told in the tool's words and noted as begun; the next one takes its place", async () => {
    const there = new Set<string>();
    await using _api = await record(there, { left: 1 });
    await expect(deploy("bundle")).rejects.toThrow(failure);
    const begun = await read();
    expect(begun.deployments.at(-1)).toMatchObject({ app: "bundle", state: "begun" });
    const deployed = await deploy("bundle");
    const after = await read();
    expect(after.deployments.filter(({ app }) => app === "bundle")).toEqual([deployed]);
    expect([after.token, ...there]).toEqual([begun.token, "evenbench"]);
  });

  test("destroy removes what the file names, also what is gone already, and forgets it", async () => {
    const there = new Set(["evenbench"]);
    await using _api = await record(there);
    const { deployments, ...rest } = await read();
    // One that is there, and one that is gone: each costs a start of the tool or two.
    const two = deployments.slice(-2);
    expect(two.map(({ name }) => there.has(name)).sort()).toEqual([false, true]);
    await write({ ...rest, deployments: two });
    expect(await destroy()).toEqual(two);
    expect([there.size, (await read()).deployments]).toEqual([0, []]);
  });
}

/** A server of this machine in the place of a deployed one. */
interface ServedDeployment {
  readonly host: Host;
  /** The entry of it in the list of deployments. */
  readonly deployment: Deployment;
}

/** Serves a target on this machine, closed as a deployed one is. */
export async function serveDeployed(
  { platform, deployable, app, name }: LocalTarget,
  folder: string,
  token: string,
): Promise<ServedDeployment> {
  const at = { port: 0, logFile: join(folder, `${name}.log`), cores: null, workers: 1, v8Flags: [] };
  const host = await platform.serve({ ...at, deployable, token });
  const deployment: Deployment = {
    app: app.id,
    platform: platform.id,
    name: "evenbench",
    region: DEFAULT_REGION,
    state: "deployed",
    url: host.url,
    accountsUrl: null,
    digest: "unknown",
    at: "2026-11-01T00:00:00.000Z",
  };
  return { host, deployment };
}
