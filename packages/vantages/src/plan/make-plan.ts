import { type CaseManifest, openRecord, UserError } from "@evenbench/core";
import { readSource, version } from "@evenbench/host";
import { createProbe, EXCHANGE_TIMEOUT_MS, type Expectation } from "@evenbench/probe";
import type { RunEvent, RunTarget } from "@evenbench/results";
import type { RunOptions, Target, UrlTarget } from "@evenbench/runner";
import {
  comparisons,
  expectationOf,
  firstPlan,
  hasTransfer,
  type Proved,
  prove,
  transferRequest,
  withPlatforms,
} from "@evenbench/runner/engine";
import { PLAN_SCHEMA_VERSION, type PlannedCase, type VantagePlan } from "../protocol/plan.ts";
import { countsOf } from "./counts.ts";
import { secondOrigin } from "./second-origin.ts";

export interface VantageOptions
  extends Pick<RunOptions, "targets" | "cases" | "otherCaseIds" | "allow" | "baseline" | "seed" | "signal"> {
  /** Measured rounds of each trial; as many for its transfer time. */
  readonly rounds: number;
  /** Trials of each case at each vantage: each has fresh connections. */
  readonly trials: number;
  /** Exchanges of each target before the rounds of each trial. */
  readonly warmUpExchanges: number;
  onEvent?(event: Pick<RunEvent, "kind" | "detail">): void;
}

export interface MadePlan {
  readonly plan: VantagePlan;
  /** Milliseconds of one exchange, by case id and target name. */
  readonly seenMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * Proves from here that all targets do the same work, and plans what clients elsewhere will send. It measures
 * nothing.
 *
 * @throws {UserError} for a target that nobody elsewhere can reach; {RunError} when preflight finds a
 *   problem.
 */
export async function makePlan(options: VantageOptions): Promise<MadePlan> {
  const targets = options.targets.map(reachable);
  refuseSameAddress(targets);
  const first = firstPlan({ ...options, timeMs: null });
  const compared = comparisons(options);
  const proved = await prove(compared, options, {
    signal: options.signal ?? new AbortController().signal,
    recorder: { event: (kind, detail) => options.onEvent?.({ kind, detail }) },
    instanceSettings: { workers: 1, cores: null, logFolder: "", exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS },
  });
  const run = withPlatforms(first, proved.identities);
  const cases: PlannedCase[] = [];
  for (const { cases: manifests, targets: own, subjects } of compared) {
    for (const manifest of manifests) {
      const names = subjects.map(({ name }) => name);
      cases.push(await planCase(manifest, names, own.map(reachable), proved));
    }
  }
  const seenMs = openRecord(
    Object.entries(proved.seen).map(([id, { exchangeMs }]) => [id, exchangeMs] as const),
  );
  const plan: VantagePlan = {
    schemaVersion: PLAN_SCHEMA_VERSION,
    createdAt: new Date().toISOString(),
    evenbenchVersion: version,
    source: readSource(),
    run,
    identities: proved.identities,
    cases,
    origins: originsOf(run.targets),
    closed: run.targets
      .filter(({ name, copyOf }) => tokenOf(targets, copyOf ?? name) !== null)
      .map(({ name }) => name),
    exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
    counts: countsOf(run, cases, seenMs),
  };
  return { plan, seenMs };
}

async function planCase(
  manifest: CaseManifest,
  targets: readonly string[],
  own: readonly UrlTarget[],
  proved: Proved,
): Promise<PlannedCase> {
  const request = { path: manifest.path, expected: plainly(expectationOf(proved, manifest.id)) };
  const parts = hasTransfer(request) ? await partsOf(own, request) : 0;
  const transfer = parts === 0 ? null : transferRequest(request.expected.bytes, parts);
  return { id: manifest.id, request, transfer, targets };
}

/** In how many parts a body comes, the most of all targets: only here can it be seen, since k6 does not report it. */
async function partsOf(
  targets: readonly UrlTarget[],
  { path, expected }: { readonly path: string; readonly expected: Expectation },
): Promise<number> {
  const parts = await Promise.all(
    targets.map(async ({ url, token = null }) => {
      const probe = createProbe(url, { token, timeoutMs: EXCHANGE_TIMEOUT_MS });
      try {
        const { arrivals, isChunked } = await probe.exchange(path, expected, { arrivals: true });
        return isChunked ? (arrivals?.length ?? 1) : 1;
      } finally {
        await probe.close();
      }
    }),
  );
  return Math.max(1, ...parts);
}

/** What plans and logs need of an expectation, and no more. */
export function plainly(expected: Expectation): PlannedCase["request"]["expected"] {
  const { status, contentType, bytes, sha256, masks, variation, isPage, unchecked } = expected;
  const plain = { status, contentType, bytes, sha256, masks, variation, isPage };
  return unchecked === undefined ? plain : { ...plain, unchecked };
}

function originsOf(targets: readonly RunTarget[]): Record<string, string> {
  return openRecord(
    targets.map(({ name, url, copyOf }) => {
      const origin = new URL(url ?? "").origin;
      return [name, copyOf === null ? origin : secondOrigin(origin)] as const;
    }),
  );
}

/** @throws {UserError} for a target that nobody elsewhere can reach. */
export function reachable(target: Target): UrlTarget {
  if (target.place === "url") return target;
  throw new UserError(
    `${target.name} runs on this machine only, where no vantage reaches it. Deploy it and say --where deployed, or give --target name=URL.`,
  );
}

/** k6 keeps connections by address: two targets at one would share theirs. */
function refuseSameAddress(targets: readonly UrlTarget[]): void {
  const origins = targets.map(({ url }) => new URL(url).origin);
  const second = targets.find((_target, index) => origins.indexOf(origins[index] ?? "") !== index);
  if (second === undefined) return;
  throw new UserError(
    `Two targets have the address ${second.url}, and would share connections. Name one of them; its A/A copy comes by itself.`,
  );
}

/** The token of a closed target; null for an open one. */
export function tokenOf(targets: readonly UrlTarget[], name: string): string | null {
  return targets.find((target) => target.name === name)?.token ?? null;
}
