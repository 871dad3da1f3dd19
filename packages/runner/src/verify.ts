import type { CaseManifest, Golden, Identity } from "@evenbench/core";
import {
  formatPreflight,
  type PreflightProblem,
  type PreflightTarget,
  preflight,
} from "@evenbench/preflight";
import type { Expectation } from "@evenbench/probe";
import { type InstanceSettings, serveLocal } from "./instance.ts";
import { RunError, type Target } from "./options.ts";
import type { CaseCost } from "./plan.ts";

/** What preflight proved, by target name or case id. */
export interface Verified {
  readonly identities: Readonly<Record<string, Identity>>;
  readonly expectations: Readonly<Record<string, Expectation>>;
  readonly warnings: readonly PreflightProblem[];
  readonly differences: readonly string[];
  readonly toConfirm: Readonly<Record<string, Golden>>;
  readonly costs: Readonly<Record<string, CaseCost>>;
}

export interface VerifyOptions {
  readonly otherCaseIds: readonly string[];
  readonly allow: readonly string[];
  /** Names of the targets that have a twin: a round asks them twice. */
  readonly twinned: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/**
 * Starts one host for each local target of an app, runs preflight over them and the given URLs, and stops the hosts.
 *
 * @throws {RunError} when a host does not start or preflight finds a problem; the message is the whole explanation.
 */
export async function verify(
  targets: readonly Target[],
  cases: readonly CaseManifest[],
  options: VerifyOptions,
  settings: InstanceSettings,
): Promise<Verified> {
  const started = performance.now();
  const hosts = await Promise.allSettled(
    targets.map((target) => (target.place === "local" ? serveLocal(target, target.name, settings) : null)),
  );
  const startMs = performance.now() - started;
  try {
    const failed = hosts.flatMap((host, index) =>
      host.status === "rejected" ? [`${targets[index]?.name}: ${messageOf(host.reason)}`] : [],
    );
    if (failed.length > 0) {
      const count = `${failed.length} of ${targets.length} targets did not start`;
      throw new RunError(
        `Nothing was measured: ${count}.\n${failed.join("\n")}\nMend what is wrong, or name the other targets with --target.`,
      );
    }
    const addressed = targets.map((target, index) => {
      const host = hosts[index];
      const local = host?.status === "fulfilled" ? host.value?.url : undefined;
      return preflightTargetOf(target, local);
    });
    const { twinned, ...asked } = options;
    const result = await preflight({
      ...asked,
      targets: addressed,
      cases,
      timeoutMs: settings.exchangeTimeoutMs,
    });
    if (!result.ok && !options.signal.aborted) throw new RunError(formatPreflight(result));
    const costs = Object.entries(result.exchangeMs).map(([caseId, byTarget]) => {
      const times = Object.entries(byTarget).map(([name, ms]) => ms * (twinned.has(name) ? 2 : 1));
      return [caseId, { roundMs: times.reduce((sum, ms) => sum + ms, 0), startMs }] as const;
    });
    return { ...result, costs: Object.fromEntries(costs) };
  } finally {
    await Promise.all(hosts.map((host) => (host.status === "fulfilled" ? host.value?.stop() : undefined)));
  }
}

/** A target as preflight wants it; `hostUrl` is where a local one is served. */
export function preflightTargetOf(target: Target, hostUrl: string | undefined): PreflightTarget {
  if (target.place === "local") return { name: target.name, url: hostUrl ?? "" };
  const { name, url, token = null, expectedBuild = null } = target;
  return { name, url, token, expectedBuild };
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
