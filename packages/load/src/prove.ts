import type { Identity } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import { appIdOf } from "@evenbench/runner";
import { type InstanceSettings, verify } from "@evenbench/runner/engine";
import type { LoadOptions } from "./options.ts";

/** What preflight proved: identities by target name, expectations by case id. */
export interface Proved {
  readonly identities: Readonly<Record<string, Identity>>;
  readonly expectations: Readonly<Record<string, Expectation>>;
  /** Sentences on pins that were let through. */
  readonly allowed: readonly string[];
  /** What starting one set of targets took, in milliseconds. */
  readonly startMs: number;
}

/**
 * Proves that all targets of each app do the same work, before any of them gets load.
 *
 * @throws {RunError} when a target does not start, or preflight finds a problem.
 */
export async function prove(
  options: LoadOptions,
  settings: InstanceSettings,
  signal: AbortSignal,
): Promise<Proved> {
  const proved = { identities: {}, expectations: {}, allowed: [] as string[], startMs: 0 };
  for (const [appId, cases] of Object.entries(options.cases)) {
    // Several subjects may be one target, as other numbers of instances.
    const targets = new Map(
      options.subjects
        .filter(({ target }) => appIdOf(target) === appId)
        .map(({ target }) => [target.name, target]),
    );
    const { otherCaseIds = [], allow = [] } = options;
    const asked = { otherCaseIds, allow, twinned: new Set<string>(), signal };
    const verified = await verify([...targets.values()], cases, asked, settings);
    Object.assign(proved.identities, verified.identities);
    Object.assign(proved.expectations, verified.expectations);
    proved.allowed.push(
      ...verified.warnings.map(({ what, values }) => `${what} It was allowed: ${JSON.stringify(values)}.`),
    );
    for (const { startMs } of Object.values(verified.costs))
      proved.startMs = Math.max(proved.startMs, startMs);
  }
  return proved;
}
