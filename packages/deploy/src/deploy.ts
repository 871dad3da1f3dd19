import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type DeployableSize,
  type DeployedAt,
  type Platform,
  type PlatformDeployment,
  type RunTool,
  UserError,
} from "@evenbench/core";
import { scratchFolder } from "@evenbench/host";
import { exclusively } from "@evenbench/host/exclusively";
import { repositoryRoot } from "@evenbench/host/repository";
import { chooseToken, type Deployment, readDeployments, replaceNoted } from "./deployments.ts";
import { digestOfDeployable, type PlannedDeployment } from "./planned-deployment.ts";

/** Options of deploying and removing. */
interface CommonOptions {
  /** Path of the list of deployments. */
  readonly file: string;
  /** Runs tools of platforms. */
  readonly run: RunTool;
  /** Asks the user to confirm these lines. */
  confirm(lines: readonly string[]): Promise<boolean>;
  /** Is called with each step, in a line. */
  onProgress?(line: string): void;
}

/** Options of deploying. */
export interface DeployOptions extends CommonOptions {
  /** The targets. */
  readonly planned: readonly PlannedDeployment[];
  /** AWS's name of the region. */
  readonly region: string;
  /** True where platforms are to keep an account of each request. */
  readonly accounting: boolean;
}

/**
 * Deploys targets, one after another. Whatever can be found wrong without sending anything is found first,
 * for all of them.
 *
 * @returns the deployments; null where the user does not confirm them.
 */
export function deployTargets(options: DeployOptions): Promise<readonly Deployment[] | null> {
  return alone(options.file, "Nothing was sent.", () => deployAlone(options));
}

/**
 * Does work on a list of deployments while no other command deploys or removes what it lists: two that begin at the
 * same time would each make a token, and the list keeps one.
 *
 * @throws {UserError} where another command does.
 */
function alone<T>(file: string, outcome: string, work: () => Promise<T>): Promise<T> {
  return exclusively(`${file}.command.lock`, work, {
    onWait(holder) {
      const process = holder === null ? "" : ` (process ${holder})`;
      throw new UserError(
        `Another command deploys, or removes what ${file} lists${process}. ${outcome} Run this one again when that has ended.`,
      );
    },
  });
}

/** Deploys while no other command uses the list. */
async function deployAlone(options: DeployOptions): Promise<readonly Deployment[] | null> {
  const { planned, file, run, onProgress, region, accounting } = options;
  const before = await readDeployments(file);
  const isUntouched = ({ app, platform }: Deployment) =>
    !planned.some(({ target }) => target.app.id === app && target.platform.id === platform);
  const { token, kept } = chooseToken(before, before.deployments.filter(isUntouched).length);
  const parts = await Promise.all(
    planned.map(async ({ target, deployment, name }) => {
      const { deployable } = target;
      const digest = await digestOfDeployable(deployable);
      return { target, deployment, order: { name, deployable, region, accounting, digest, token } };
    }),
  );
  for (const { target, deployment, order } of parts) {
    const reason = tooLarge(await target.platform.size(target.deployable)) ?? deployment.refusal(order);
    if (reason !== null) {
      throw new UserError(`${target.name} cannot be deployed: ${reason}`);
    }
  }
  for (const { target, deployment, order } of parts) {
    onProgress?.(`${target.name}: dry run`);
    await inScratch((scratch) => deployment.rehearse({ ...order, scratch }, run));
  }
  const lines = parts.flatMap(({ target, deployment, order }) =>
    deployment.describe(order).map((line) => `${target.name}: ${line}`),
  );
  if (!(await options.confirm(lines))) {
    return null;
  }

  const done: Deployment[] = [];
  for (const { target, deployment, order } of parts) {
    const { name, digest } = order;
    const place = { app: target.app.id, platform: target.platform.id };
    const note = (state: Deployment["state"], at?: DeployedAt) =>
      replaceNoted(file, place, kept, (noted) => ({
        ...place,
        name,
        digest,
        region,
        state,
        at: new Date().toISOString(),
        // A repeated attempt may fail while the deployment before it still serves.
        ...(at ?? { url: noted?.url ?? null, accountsUrl: noted?.accountsUrl ?? null }),
      }));
    await note("begun");
    onProgress?.(`${target.name}: deploying`);
    const at = await inScratch((scratch) => deployment.deploy({ ...order, scratch }, run));
    done.push(...(await note("deployed", at)));
    onProgress?.(`${target.name}: ${at.url}`);
  }
  return done;
}

/** Says that a deployable is larger than its platform takes; null where it is not. */
function tooLarge({ limit, ...size }: DeployableSize): string | null {
  if (limit === null || size[limit.counts] <= limit.bytes) {
    return null;
  }
  return `it has ${size[limit.counts]} bytes, more than the platform takes (${limit.says}).`;
}

/**
 * Checks credentials.
 *
 * @throws {UserError} that names all missing ones at once, so that nobody has to come back for each.
 */
export async function refuseWithoutCredentials(
  planned: readonly Pick<PlannedDeployment, "deployment">[],
  run: RunTool,
  outcome = "Nothing was sent.",
): Promise<void> {
  const parts = new Set(planned.map(({ deployment }) => deployment));
  const missing = await Promise.all([...parts].map((deployment) => deployment.missingCredentials(run)));
  if (missing.flat().length > 0) {
    throw new UserError(`${outcome}\n${missing.flat().join("\n")}`);
  }
}

async function inScratch<T>(work: (scratch: string) => Promise<T>): Promise<T> {
  await using scratch = await scratchFolder("deploy");
  return await work(scratch.path);
}

/** Options of removing deployments. */
export interface DestroyOptions extends CommonOptions {
  readonly platforms: readonly Platform[];
  /** Tells whether a deployment is to be removed. Default: all are. */
  isMeant?(deployment: Deployment): boolean;
}

/** Removes deployments. @returns the removed ones; null where the user does not confirm it. */
export function destroyDeployments(options: DestroyOptions): Promise<readonly Deployment[] | null> {
  return alone(options.file, "Nothing was removed.", () => destroyAlone(options));
}

/** Removes while no other command uses the list. */
async function destroyAlone(options: DestroyOptions): Promise<readonly Deployment[] | null> {
  const { file, run, isMeant = () => true, onProgress } = options;
  const meant = (await readDeployments(file)).deployments.filter(isMeant);
  const parts = meant.map((noted) => ({ noted, deployment: platformDeploymentOf(noted, options.platforms) }));
  await refuseWithoutCredentials(parts, run, "Nothing was removed.");
  if (meant.length === 0) {
    return [];
  }
  const lines = parts.map(({ noted: { platform, name, url }, deployment }) => {
    const names = deployment.removes?.(name) ?? [name];
    return `${platform}: ${names.join(" and ")} (${url ?? "begun, never finished"})`;
  });
  if (!(await options.confirm(lines))) {
    return null;
  }
  for (const { noted, deployment } of parts) {
    await inScratch((scratch) => deployment.destroy(noted.name, scratch, run));
    await replaceNoted(file, noted, undefined, () => null);
    onProgress?.(`${noted.platform}: ${noted.name} is removed`);
  }
  return meant;
}

/** Finds how a platform removes a deployment. @throws {UserError} where nobody knows. */
function platformDeploymentOf(
  { platform: id, name }: Deployment,
  platforms: readonly Platform[],
): PlatformDeployment {
  const part = platforms.find((platform) => platform.id === id)?.deployment;
  if (part !== undefined) {
    return part;
  }
  const source = `apps/${id}/platform.ts`;
  const isThere =
    !platforms.some((platform) => platform.id === id) && existsSync(join(repositoryRoot, source));
  throw new UserError(
    isThere
      ? `${name} cannot be removed: ${source} could not be loaded (its line is above). Fix that, and repeat the command.`
      : `${name} was deployed to "${id}", which takes no deployments any more. Remove it by hand, there and in the file.`,
  );
}
