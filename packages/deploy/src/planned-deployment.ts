import { digestOfDirectory } from "@evenbench/bundle";
import { ARTIFACT_APP, messageOf, type PlatformDeployment } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import type { Deployment } from "./deployments.ts";
import { DeployError } from "./error.ts";
import { DEFAULT_NAME } from "./name.ts";

/** A local target whose platform can be deployed to. */
export interface PlannedDeployment {
  readonly target: LocalTarget;
  readonly deployment: PlatformDeployment;
  /** What the platform calls it. */
  readonly name: string;
}

/** What a deployment of a target is called, on every platform: its app says the rest. */
function deploymentName(appId: string, beginning: string): string {
  return appId === ARTIFACT_APP ? beginning : `${beginning}-${appId}`;
}

/**
 * The targets that can be deployed.
 *
 * @param beginning of all their names.
 * @throws {DeployError} for a platform that cannot be deployed to by a command.
 */
export function planDeployments(
  targets: readonly LocalTarget[],
  beginning: string = DEFAULT_NAME,
): PlannedDeployment[] {
  return targets.map((target) => {
    const { deployment } = target.platform;
    if (deployment === undefined) {
      throw new DeployError(
        `${target.platform.title} has nowhere of its own to be deployed to. Run ${target.deployable}/server.mjs with ` +
          "EVENBENCH_TOKEN, HOST and PORT set where you like, behind HTTPS, and measure it with --target name=https://... --token-for its host",
      );
    }
    return { target, deployment, name: deploymentName(target.app.id, beginning) };
  });
}

/**
 * A list of deployments has one of each target: with another name the one that is there would be forgotten, and stay for good.
 *
 * @throws {DeployError} for a target that is deployed under another name.
 */
export function refuseOtherNames(
  planned: readonly PlannedDeployment[],
  deployed: readonly Deployment[],
): void {
  for (const { target, name } of planned) {
    const there = deployed.find(
      ({ app, platform }) => app === target.app.id && platform === target.platform.id,
    );
    if (there !== undefined && there.name !== name) {
      throw new DeployError(
        `${target.name} is deployed as "${there.name}", and this would be "${name}". Nothing was sent. ` +
          "Deploy it by the same --name, remove it first (destroy), or keep the new one in another file (--deployments <file>).",
      );
    }
  }
}

/** The name of a built deployable: SHA-256 over its files. @throws {DeployError} when it has not been built. */
export async function digestOfDeployable(deployable: string): Promise<string> {
  try {
    return await digestOfDirectory(deployable);
  } catch (error) {
    const why = messageOf(error);
    throw new DeployError(`${deployable} cannot be read (${why}). Build it with \`npm run build\`.`);
  }
}
