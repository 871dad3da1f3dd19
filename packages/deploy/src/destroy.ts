import type { Platform, RunTool } from "@evenbench/core";
import { inScratch } from "./deploy.ts";
import { type Deployment, readDeployments, withoutDeployment, writeDeployments } from "./deployments.ts";
import { DeployError } from "./error.ts";

export interface DestroyOptions {
  /** deployments.json */
  readonly file: string;
  readonly platforms: readonly Platform[];
  /** Which of the deployments that are noted; default: all. */
  isMeant?(deployment: Deployment): boolean;
  readonly run: RunTool;
  confirm(lines: readonly string[]): Promise<boolean>;
  onProgress?(line: string): void;
}

/**
 * Removes from the platforms what the file says was deployed, or begun. Each is forgotten as soon as it is
 * gone, so a destroy that is interrupted can be repeated.
 *
 * @returns what was removed; null where it was not confirmed.
 * @throws {DeployError} when credentials are missing or a tool fails.
 */
export async function destroyDeployments(options: DestroyOptions): Promise<readonly Deployment[] | null> {
  const { file, run, isMeant = () => true, onProgress } = options;
  const meant = (await readDeployments(file)).deployments.filter(isMeant);
  const parts = meant.map((deployment) => ({ deployment, part: partOf(deployment, options.platforms) }));
  const missing = await Promise.all(
    [...new Set(parts.map(({ part }) => part))].map((part) => part.missingCredentials(run)),
  );
  if (missing.flat().length > 0) throw new DeployError(`Nothing was removed.\n${missing.flat().join("\n")}`);
  if (meant.length === 0) return [];
  const lines = meant.map(
    ({ platform, name, url }) => `${platform}: ${name} (${url ?? "begun, never finished"})`,
  );
  if (!(await options.confirm(lines))) return null;
  for (const { deployment, part } of parts) {
    await inScratch((scratch) => part.destroy(deployment.name, scratch, run));
    await writeDeployments(file, withoutDeployment(await readDeployments(file), deployment));
    onProgress?.(`${deployment.platform}: ${deployment.name} is removed`);
  }
  return meant;
}

function partOf({ platform: id, name }: Deployment, platforms: readonly Platform[]) {
  const part = platforms.find((platform) => platform.id === id)?.deployment;
  if (part === undefined) {
    throw new DeployError(
      `${name} was deployed to "${id}", which is no platform any more. Remove it by hand, there and in the file.`,
    );
  }
  return part;
}
