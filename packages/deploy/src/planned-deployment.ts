import { digestOfDirectory } from "@evenbench/bundle";
import { ARTIFACT_APP, messageOf, type PlatformDeployment } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import { DeployError } from "./error.ts";

/** A local target whose platform can be deployed to. */
export interface PlannedDeployment {
  readonly target: LocalTarget;
  readonly deployment: PlatformDeployment;
  /** What the platform calls it. */
  readonly name: string;
}

/** What a deployment of a target is called, on every platform: its app says the rest. */
function deploymentName(appId: string): string {
  return appId === ARTIFACT_APP ? "evenbench" : `evenbench-${appId}`;
}

/**
 * The targets that can be deployed.
 *
 * @throws {DeployError} for a platform that cannot be deployed to by a command.
 */
export function planDeployments(targets: readonly LocalTarget[]): PlannedDeployment[] {
  return targets.map((target) => {
    const { deployment } = target.platform;
    if (deployment === undefined) {
      throw new DeployError(
        `${target.platform.title} has nowhere of its own to be deployed to. Run ${target.deployable}/server.mjs with ` +
          "EVENBENCH_TOKEN, HOST and PORT set where you like, behind HTTPS, and measure it with --target name=https://... --token-for its host",
      );
    }
    return { target, deployment, name: deploymentName(target.app.id) };
  });
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
