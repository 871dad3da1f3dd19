import { UsageError, UserError } from "@evenbench/core/errors";
import { tokenForUrl } from "@evenbench/deploy";
import { isLoopback } from "./origins.ts";
import type { VantagePlan } from "./plan.ts";
import type { VantageMachine } from "./play.ts";

/** A target of a plan that is no copy, with its address. */
interface PlannedTarget {
  readonly name: string;
  /** The address as the plan says it. */
  readonly url: string;
}

/** Lists the targets of a plan that are no copies. */
function originalsOf({ run }: VantagePlan): readonly PlannedTarget[] {
  const originals = run.targets.filter(({ copyOf }) => copyOf === null);
  return originals.map(({ name, url }) => ({ name, url: url ?? "" }));
}

/**
 * Finds whether a plan's targets are on this machine while others play it: these would ask their own servers.
 *
 * @returns the warning, a sentence or more; null where there is no reason for one.
 * @throws {UserError} where such a target is closed: its token is sent to no other machine's servers.
 */
export function warnOfLoopback(plan: VantagePlan, places: readonly VantageMachine[]): string | null {
  const here = originalsOf(plan).find(({ url }) => isLoopback(url));
  const elsewhere = places.find(({ destination }) => destination !== null);
  if (here === undefined || elsewhere === undefined) {
    return null;
  }
  const { destination, vantage } = elsewhere;
  const what = `${here.name} is at ${here.url}, and for ${vantage} that is ${destination} itself.`;
  if (plan.closed.includes(here.name)) {
    throw new UserError(
      `${what} Its token is not sent there. Plan for an address that all machines reach, or play it with --at name=local.`,
    );
  }
  return `${what} Plan for an address that all machines reach.`;
}

/**
 * Finds the token of a plan's closed targets. A plan may come from a stranger: what it says of hosts is not
 * believed, so each is one that was deployed from here or that the user names.
 *
 * @param deployments path of the list of deployments.
 * @param hosts host names that the user trusts with the token. Default: none.
 * @returns null where no target is closed.
 * @throws {UsageError} where a host is named at which no closed target is.
 * @throws {UserError} where no token is known to be meant for a target.
 */
export async function tokenFor(
  plan: VantagePlan,
  deployments: string,
  hosts: readonly string[] = [],
): Promise<string | null> {
  const closed = originalsOf(plan).filter(({ name }) => plan.closed.includes(name));
  const known = closed.map(({ url }) => new URL(url).host);
  const unknown = hosts.find((host) => !known.includes(host));
  if (unknown !== undefined) {
    const where = known.length === 0 ? "none of its targets is closed" : `they are at ${known.join(", ")}`;
    throw new UsageError(
      `--token-for names "${unknown}", and no closed target of the plan is there: ${where}.`,
    );
  }
  let token: string | null = null;
  for (const target of closed) {
    token = await tokenForUrl(deployments, target.url, hosts);
    if (token === null) {
      throw new UserError(noTokenFor(target));
    }
  }
  return token;
}

/** Says that no token is meant for a target, and what to do. */
function noTokenFor({ name, url }: PlannedTarget): string {
  const { host } = new URL(url);
  return `${name} at ${url} serves only callers with its token, and no token is known to be meant for it. Give the deployments.json that lists it with --deployments; or, if it is yours, set EVENBENCH_TOKEN and add --token-for ${host}.`;
}
