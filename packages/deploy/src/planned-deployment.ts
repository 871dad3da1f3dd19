import { digestOfDirectory } from "@evenbench/bundle";
import {
  ARTIFACT_APP,
  formatDuration,
  messageOf,
  type PlatformDeployment,
  recordOfPlatform,
  UserError,
} from "@evenbench/core";
import { type LocalTarget, usualTotal } from "@evenbench/runner";
import type { Deployment } from "./deployments.ts";
import { DEFAULT_NAME } from "./name.ts";

/** A target that is to be deployed. */
export interface PlannedDeployment {
  readonly target: LocalTarget;
  /** The platform's way to deploy it. */
  readonly deployment: PlatformDeployment;
  /** The name that the platform is to call the deployment by. */
  readonly name: string;
}

/**
 * Plans to deploy targets.
 *
 * @param wanted the beginning of names. Default: that of the deployments that are there.
 * @throws {UserError} where a platform takes no deployments, or names would begin differently.
 */
export function planDeployments(
  targets: readonly LocalTarget[],
  deployed: readonly Deployment[] = [],
  wanted?: string,
): PlannedDeployment[] {
  const beginning = chooseBeginning(deployed, wanted);
  return targets.map((target) => {
    const { deployment } = target.platform;
    if (deployment === undefined) {
      throw new UserError(
        `${recordOfPlatform(target.platform, "url").spoken} has nowhere of its own to be deployed to. Run ${target.deployable}/server.mjs with ` +
          "EVENBENCH_TOKEN, HOST and PORT set where you like, behind HTTPS, and measure it with --deployed --target name=https://...",
      );
    }
    return { target, deployment, name: beginning + endOf(target.app.id) };
  });
}

function endOf(appId: string): string {
  return appId === ARTIFACT_APP ? "" : `-${appId}`;
}

function chooseBeginning([first]: readonly Deployment[], wanted: string | undefined): string {
  if (first === undefined) {
    return wanted ?? DEFAULT_NAME;
  }
  const base = first.name.slice(0, first.name.length - endOf(first.app).length);
  if (wanted !== undefined && wanted !== base) {
    throw new UserError(
      `The names of what is deployed begin with "${base}", and not with "${wanted}". Nothing was sent. ` +
        "Leave --name out, remove what is deployed first (destroy), or keep the new ones in another file (--deployments <file>).",
    );
  }
  return base;
}

/** Computes the digest of a deployable. @throws {UserError} where it has not been built. */
export async function digestOfDeployable(deployable: string): Promise<string> {
  try {
    return await digestOfDirectory(deployable);
  } catch (error) {
    const why = messageOf(error);
    throw new UserError(`${deployable} cannot be read (${why}). Build it with \`npm run build\`.`);
  }
}

/** The time of a fast answer over a network, in milliseconds: it gives the largest number of requests. */
const NEAR_MS = 20;

/** The part of a target that its costs depend on. */
export interface PricedTarget {
  /** The app, whose cases are counted. */
  readonly app: {
    cases(): Promise<readonly unknown[]>;
    casesInSources?(): Promise<readonly unknown[]>;
  };
  readonly platform: Pick<LocalTarget["platform"], "title" | "cpuPrice">;
}

/** Says in lines what a preflight and a default run cost at most at the deployed platforms' prices. */
export async function describeCosts(targets: readonly PricedTarget[]): Promise<readonly string[]> {
  const apps = new Set(targets.map(({ app }) => app));
  const cases = await Promise.all([...apps].map((app) => app.casesInSources?.() ?? app.cases()));
  const many = cases.flat().length;
  // One request is under way at a time, so no CPU works for longer than the whole run.
  const timeMs = usualTotal(many);
  const time = formatDuration(timeMs);
  const requests = Math.ceil(timeMs / NEAR_MS).toLocaleString("en");
  const prices = [...new Set(targets.map(({ platform }) => platform))].map(({ title, cpuPrice }) => {
    if (cpuPrice === undefined) {
      return `cost: ${title} has no price of CPU time here.`;
    }
    const usd = ((timeMs / 3_600_000) * cpuPrice.usdPerCpuHour).toFixed(2);
    return `cost: ${title}: at most $${usd} for that (${cpuPrice.title}: ${cpuPrice.stated}, read on ${cpuPrice.readOn}: ${cpuPrice.source}).`;
  });
  return [
    `cost: preflight asks each for its ${many} cases twice. A run of all of them, without --time, sends one request at a time for about ${time}: at most ${time} of CPU time on each platform.`,
    `cost: at ${NEAR_MS} ms for each answer, a run sends ${requests} requests to all platforms together, and fewer where answers take longer.`,
    ...prices,
    "cost: requests, memory, traffic and a plan's monthly price come on top.",
  ];
}
