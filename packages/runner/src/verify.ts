import type { CaseManifest } from "@evenbench/core";
import { quoteLog } from "@evenbench/host";
import {
  formatPreflight,
  type PreflightProblem,
  type PreflightResult,
  type PreflightTarget,
  preflight,
} from "@evenbench/probe/preflight";
import { type InstanceSettings, logFileIn, startHosts } from "./instance.ts";
import { type ProofTerms, RunError, type Target } from "./options.ts";
import { factsOf } from "./targets.ts";

export interface Verified extends Omit<PreflightResult, "ok" | "problems"> {
  readonly startMs: number;
  readonly unproved?: Readonly<Record<string, string>>;
}

export interface VerifyOptions
  extends Required<Pick<ProofTerms, "otherCaseIds" | "allow" | "sameWork" | "asksForGolden">> {
  readonly signal: AbortSignal;
}

export async function verify(
  targets: readonly Target[],
  cases: readonly CaseManifest[],
  options: VerifyOptions,
  settings: InstanceSettings,
): Promise<Verified> {
  const started = performance.now();
  const hosts = await startHosts(
    targets,
    settings,
    (reasons) =>
      `Nothing was measured: ${reasons}\nFix what is wrong, or name the other targets with --target.`,
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

export function preflightTargetOf(target: Target, hostUrl: string | undefined): PreflightTarget {
  const ownServer = target.ownServer && { request: target.ownServer.request, facts: factsOf(target) };
  if (target.place === "local") return { name: target.name, url: hostUrl ?? "", ownServer };
  const { name, url, token = null, expectedBuild = null } = target;
  return { name, url, token, expectedBuild, ownServer };
}

/** Of targets that are down or answer with an error of their own: there it is said why. */
export function quoteBlamedLogs(
  problems: readonly PreflightProblem[],
  logFiles: ReadonlyMap<string, string>,
): string[] {
  const blamed = new Set(problems.flatMap(namesBlamed));
  return [...logFiles].filter(([name]) => blamed.has(name)).map(([, logFile]) => quoteLog(logFile));
}

function namesBlamed({ kind, values }: PreflightProblem): string[] {
  if (kind === "down") return Object.keys(values);
  if (kind !== "status") return [];
  return Object.keys(values).filter((name) => name !== "expected" && values[name]?.startsWith("HTTP 5"));
}
