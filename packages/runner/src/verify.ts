import type { CaseManifest, Host, SameWork } from "@evenbench/core";
import { describeFailedStarts, startAll } from "@evenbench/host";
import {
  formatPreflight,
  type PreflightResult,
  type PreflightTarget,
  preflight,
} from "@evenbench/probe/preflight";
import { quoteBlamedLogs } from "./blamed-logs.ts";
import { type InstanceSettings, logFileIn, serveLocal } from "./instance.ts";
import { RunError, type Target } from "./options.ts";
import { factsOf } from "./strangers.ts";

/** What preflight proved, by target name or case id. */
export interface Verified extends Omit<PreflightResult, "ok" | "problems"> {
  /** The start of all targets, as preflight saw it. Milliseconds. */
  readonly startMs: number;
  /** Why sides cannot be measured, by name. */
  readonly unproved?: Readonly<Record<string, string>>;
}

export interface VerifyOptions {
  readonly otherCaseIds: readonly string[];
  readonly allow: readonly string[];
  readonly sameWork: SameWork;
  /** Whether golden values are found for the cases that have none. */
  readonly asksForGolden: boolean;
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
  const names = targets.map(({ name }) => name);
  const hosts = await startAll(
    targets.map((target) => () => startHostOf(target, settings)),
    async (host) => host?.stop(),
    (failed) =>
      new RunError(
        `Nothing was measured: ${describeFailedStarts(failed, names, "targets")}\nFix what is wrong, or name the other targets with --target.`,
      ),
  );
  const startMs = performance.now() - started;
  try {
    const found = await preflight({
      ...options,
      targets: targets.map((target, index) => preflightTargetOf(target, hosts[index]?.url)),
      cases,
      timeoutMs: settings.exchangeTimeoutMs,
    });
    const result = options.asksForGolden ? found : { ...found, toConfirm: {}, bodiesToConfirm: {} };
    if (!result.ok && !options.signal.aborted) {
      const logFiles = targets
        .filter(({ place }) => place === "local")
        .map(({ name }) => [name, logFileIn(settings.logFolder, name)] as const);
      const quoted = quoteBlamedLogs(result.problems, new Map(logFiles));
      throw new RunError([...quoted, formatPreflight(result)].join("\n\n"));
    }
    return { ...result, startMs };
  } finally {
    await Promise.all(hosts.map((host) => host?.stop()));
  }
}

/** null for a URL. */
async function startHostOf(target: Target, settings: InstanceSettings): Promise<Host | null> {
  return target.place === "local" ? serveLocal(target, target.name, settings) : null;
}

/** A target as preflight wants it; `hostUrl` is where a local one is served. */
export function preflightTargetOf(target: Target, hostUrl: string | undefined): PreflightTarget {
  const { stranger: own } = target;
  const stranger = own === undefined ? undefined : { request: own.request, facts: factsOf(target) };
  if (target.place === "local") return { name: target.name, url: hostUrl ?? "", stranger };
  const { name, url, token = null, expectedBuild = null } = target;
  return { name, url, token, expectedBuild, stranger };
}
