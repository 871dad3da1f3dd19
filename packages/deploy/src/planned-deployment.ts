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

export interface Naming {
  /** How all names begin; without it, what is deployed keeps its name. */
  readonly beginning?: string | undefined;
  /** What is deployed already. */
  readonly deployed?: readonly Deployment[];
}

/**
 * The targets that can be deployed.
 *
 * @throws {DeployError} for a platform that cannot be deployed to by a command, and for a target that is deployed under another name: a
 *   list of deployments has one of each target, so that one would be forgotten, and stay for good.
 */
export function planDeployments(targets: readonly LocalTarget[], naming: Naming = {}): PlannedDeployment[] {
  return targets.map((target) => {
    const { deployment } = target.platform;
    if (deployment === undefined) {
      throw new DeployError(
        `${target.platform.title} has nowhere of its own to be deployed to. Run ${target.deployable}/server.mjs with ` +
          "EVENBENCH_TOKEN, HOST and PORT set where you like, behind HTTPS, and measure it with --target name=https://... --token-for its host",
      );
    }
    return { target, deployment, name: nameOf(target, naming) };
  });
}

/** What a deployment of a target is called, on every platform: its app says the rest. */
function nameOf({ name: target, app, platform }: LocalTarget, { beginning, deployed = [] }: Naming): string {
  const there = deployed.find((one) => one.app === app.id && one.platform === platform.id)?.name;
  if (beginning === undefined && there !== undefined) return there;
  const start = beginning ?? DEFAULT_NAME;
  const name = app.id === ARTIFACT_APP ? start : `${start}-${app.id}`;
  if (there !== undefined && there !== name) {
    throw new DeployError(
      `${target} is deployed as "${there}", and this would be "${name}". Nothing was sent. ` +
        "Leave --name out to replace it, remove it first (destroy), or keep the new one in another file (--deployments <file>).",
    );
  }
  return name;
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
