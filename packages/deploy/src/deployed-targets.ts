import { setTimeout as delay } from "node:timers/promises";
import { messageOf, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { fetchIdentity } from "@evenbench/probe/preflight";
import type { LocalTarget, UrlTarget } from "@evenbench/runner";
import { givenToken, readDeployments } from "./deployments.ts";
import { deployedOption, fileOption } from "./name.ts";
import { digestOfDeployable } from "./planned-deployment.ts";

/** The beginning of deployed targets' names: a report shall not take one for its local sibling. */
const PREFIX = "deployed-";

/** A deployment that can be measured. */
export interface DeployedTarget {
  /** The target by its address. */
  readonly target: UrlTarget;
  /** The local target that it was made of. */
  readonly madeOf: LocalTarget;
  /** The time of its deployment (ISO 8601). */
  readonly deployedAt: string;
  /** The list of deployments that names it. */
  readonly file: string;
}

/**
 * Lists deployments as targets.
 *
 * @throws {UserError} where there is none, or a token would be sent for everybody to read.
 */
export async function deployedTargets(
  file: string,
  local: readonly LocalTarget[],
): Promise<DeployedTarget[]> {
  const all = await readDeployments(file);
  const token = givenToken() ?? all.token;
  const found = all.deployments.flatMap((deployment) => {
    const madeOf = local.find(
      ({ app, platform }) => app.id === deployment.app && platform.id === deployment.platform,
    );
    const { url, app, accountsUrl, at } = deployment;
    if (madeOf === undefined || url === null) {
      return [];
    }
    for (const to of [url, accountsUrl]) {
      if (to !== null && token !== null) {
        refuseOpenly(to);
      }
    }
    const target: UrlTarget = {
      place: "url",
      name: PREFIX + madeOf.name,
      app,
      casesOf: madeOf.app.casesOf,
      url,
      accountsUrl,
      token,
    };
    return [{ target, madeOf, deployedAt: at, file }];
  });
  if (found.length === 0) {
    throw new UserError(
      `Nothing is deployed according to ${file}. Deploy first: \`${EVENBENCH} deploy all${fileOption(file)}\`.`,
    );
  }
  return found;
}

/** Makes a deployed target one that must run the build of this clone. */
export async function expectBuild({ target, madeOf, deployedAt, file }: DeployedTarget): Promise<UrlTarget> {
  const { app, platform, deployable } = madeOf;
  const command = `${EVENBENCH} deploy ${platform.id} --app ${app.id}${fileOption(file)}`;
  return { ...target, expectedBuild: { digest: await digestOfDeployable(deployable), deployedAt, command } };
}

/**
 * Gives the token for a URL: only deployments in the file and hosts that the user names get one; null for all
 * others.
 */
export async function tokenForUrl(
  file: string,
  url: string,
  hosts: readonly string[] = [],
): Promise<string | null> {
  const { host } = new URL(url);
  const all = await readDeployments(file);
  const isOurs = all.deployments.some((deployment) => deployment.url === url);
  const given = isOurs || hosts.includes(host) ? givenToken() : null;
  if (hosts.includes(host) && given === null) {
    throw new UserError(
      `${host} is to get EVENBENCH_TOKEN, but it is not set. Set it to the target's token.`,
    );
  }
  const token = given ?? (isOurs ? all.token : null);
  if (token !== null) {
    refuseOpenly(url);
  }
  return token;
}

/** Refuses an address to which a token would be sent for everybody to read. @throws {UserError} for it. */
function refuseOpenly(url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname)) {
    return;
  }
  throw new UserError(
    `The token would be sent to ${url} for everybody on the way to read. Use https://, or leave the token out.`,
  );
}

/** Milliseconds between two looks at a new deployment. */
const POLL_EVERY_MS = 2000;
/** Milliseconds after which a deployment is waited for no longer. */
const WITHIN_MS = 120_000;

/**
 * Waits until a deployment serves its build: a new address takes a while to be known.
 *
 * @throws {UserError} where it does not within the time, or the signal aborts.
 */
export async function waitForBuild(target: UrlTarget, file: string, signal: AbortSignal): Promise<void> {
  const { name, url, token = null, expectedBuild } = target;
  const endsAt = performance.now() + WITHIN_MS;
  let seen = "no answer yet";
  do {
    try {
      const { facts } = await fetchIdentity(url, { timeoutMs: 10_000, token, signal });
      if (facts.build === expectedBuild?.digest) {
        return;
      }
      seen = `it runs the build ${facts.build ?? "(not given)"}`;
    } catch (error) {
      seen = messageOf(error);
    }
    await delay(POLL_EVERY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) {
      throw new UserError(`${name} was deployed, and was not waited for until ${url} serves it.`);
    }
  } while (performance.now() < endsAt);
  throw new UserError(
    `${name} was deployed, but ${url} does not serve it after ${WITHIN_MS / 1000} s: ${seen}. Look again later with \`${EVENBENCH} preflight ${deployedOption(file)}\`.`,
  );
}
