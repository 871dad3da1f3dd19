import { type CaseManifest, type EdgeHeader, openRecord, UserError } from "@evenbench/core";
import { discoverPlatforms, readSource, version } from "@evenbench/host";
import { firstPlan } from "@evenbench/load";
import { K6_VERSION } from "@evenbench/load/k6";
import { createProbe, EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { RunEvent, RunTarget } from "@evenbench/results";
import {
  checkTargets,
  comparisons,
  describeTargets,
  expectationOf,
  firstRunPlan,
  hasTransfer,
  type RunOptions,
  type Target,
  transferRequest,
  type UrlTarget,
  withCache,
} from "@evenbench/runner";
import { secondOrigin } from "./origins.ts";
import {
  PLAN_SCHEMA_VERSION,
  type PlannedRequest,
  type RatePlan,
  type RoundsPlan,
  type VantageCase,
} from "./plan.ts";

/** Options of a plan of either kind. */
interface PlanOptions
  extends Pick<RunOptions, "targets" | "cases" | "otherCaseIds" | "allow" | "asked" | "seed" | "signal"> {
  /** Number of trials. */
  readonly trials: number;
  /** Is called with each event of preflight. */
  onEvent?(event: Pick<RunEvent, "kind" | "detail">): void;
}

/** Options of a plan of rounds. */
export interface RoundsOptions extends PlanOptions, Pick<RunOptions, "baseline"> {
  /** Number of measured rounds of a trial. */
  readonly rounds: number;
  /** Number of requests that warm up a target in each trial. */
  readonly warmUp: number;
}

/** Options of a plan of a load. */
export interface RateOptions extends PlanOptions {
  /** The rates that are sent. */
  readonly loads: RatePlan["run"]["loads"];
  /** Length of a stage in milliseconds. */
  readonly stageMs: number;
  /** Number of machines that share the load. */
  readonly machines: number;
}

/**
 * Makes a plan of rounds; preflight asks the targets from here.
 *
 * @throws {UserError} where two targets would share connections, or preflight refuses them.
 */
export async function makeRoundsPlan(options: RoundsOptions): Promise<RoundsPlan> {
  // k6 keeps connections by address: two targets at one would share theirs.
  const origins = options.targets.map((target) => new URL(reachable(target).url).origin);
  const second = origins.find((origin, index) => origins.indexOf(origin) !== index);
  if (second !== undefined) {
    throw new UserError(
      `Two targets have the address ${second}, and would share connections. Name one of them; its A/A copy comes by itself.`,
    );
  }
  const first = firstRunPlan({ ...options, timeMs: null });
  const { head, targets, cases } = await planFromHere(options, first, EXCHANGE_TIMEOUT_MS);
  const { rounds, warmUp } = options;
  return {
    ...head,
    kind: "rounds",
    run: { ...first, targets, cases, roundsPerTrial: rounds, warmUpExchanges: warmUp },
  };
}

/** Milliseconds after which a request of a load counts as failed. */
const STAGE_TIMEOUT_MS = 10_000;

/** Makes a plan of a load; preflight asks the targets from here. @throws {UserError} where it refuses them. */
export async function makeRatePlan({ machines, loads, ...options }: RateOptions): Promise<RatePlan> {
  const engine = { name: "k6", version: K6_VERSION };
  const targets = options.targets.map((target) => ({ ...target, instances: 1, workers: 1 }));
  const first = firstPlan({ ...options, targets, goal: { kind: "sweep", loads }, engine });
  const described = await planFromHere(options, first, STAGE_TIMEOUT_MS, false);
  return {
    ...described.head,
    kind: "rate",
    machines,
    run: {
      ...first,
      loads,
      stageMs: options.stageMs,
      targets: described.targets,
      cases: described.cases,
    },
  };
}

/** Lists the headers of all platforms: a server that is named by its URL may stand behind any of them. */
async function knownEdges(): Promise<readonly EdgeHeader[]> {
  const platforms = await discoverPlatforms(undefined, () => {});
  return platforms.flatMap(({ edge }) => edge ?? []);
}

/** The part of a plan that both kinds have, as preflight from this machine found it. */
interface PlanFromHere<T extends RunTarget> {
  readonly head: Omit<RoundsPlan, "kind" | "run">;
  /** The targets, with what their platforms say of themselves. */
  readonly targets: readonly T[];
  /** The cases, with what preflight found of caches. */
  readonly cases: readonly CaseManifest[];
}

/** Has preflight ask the targets, and makes the part of a plan that both kinds have. */
async function planFromHere<T extends RunTarget>(
  options: PlanOptions,
  first: { readonly targets: readonly T[]; readonly cases: readonly CaseManifest[] },
  exchangeTimeoutMs: number,
  withTransfer = true,
): Promise<PlanFromHere<T>> {
  const all = first.targets;
  const targets = options.targets.map(reachable);
  const apps = comparisons(options);
  const proved = await checkTargets(apps, options, {
    signal: options.signal ?? new AbortController().signal,
    recorder: { event: (kind, detail) => options.onEvent?.({ kind, detail }) },
    instanceSettings: { workers: 1, cores: null, logFolder: "", exchangeTimeoutMs },
    lost: new Map(),
  });
  const cases: VantageCase[] = [];
  for (const app of apps) {
    const served = targets.filter((target) => app.targets.includes(target));
    const names = all.filter(({ app: id }) => served.some(({ app }) => app === id)).map(({ name }) => name);
    for (const { id, path } of app.cases) {
      const request = { path, expected: expectationOf(proved, id) };
      const transfer =
        withTransfer && hasTransfer(request)
          ? transferRequest(request.expected.bytes, await bodyPartsOf(served, request))
          : null;
      cases.push({ id, request, transfer, targets: names });
    }
  }
  const seen = Object.entries(proved.seen).map(([id, { exchangeMs }]) => [id, exchangeMs] as const);
  const origins = all.map(({ name, url, copyOf }) => {
    const { origin } = new URL(url ?? "");
    return [name, copyOf === null ? origin : secondOrigin(origin)] as const;
  });
  const withToken = targets.filter(({ token = null }) => token !== null).map(({ name }) => name);
  const closed = all.filter(({ name, copyOf }) => withToken.includes(copyOf ?? name));
  const head: PlanFromHere<T>["head"] = {
    schemaVersion: PLAN_SCHEMA_VERSION,
    createdAt: new Date().toISOString(),
    evenbenchVersion: version,
    ...options.asked,
    source: readSource(),
    identities: proved.identities,
    origins: openRecord(origins),
    closed: closed.map(({ name }) => name),
    exchangeTimeoutMs,
    edges: await knownEdges(),
    cases,
    seenMs: openRecord(seen),
  };
  return {
    head,
    targets: await describeTargets(all, proved.identities),
    cases: first.cases.map((manifest) => withCache(manifest, proved)),
  };
}

/** Finds the largest number of parts in which targets send a body: k6 does not report it. */
async function bodyPartsOf(
  targets: readonly UrlTarget[],
  { path, expected }: PlannedRequest,
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

function reachable(target: Target): UrlTarget {
  if (target.place === "url") {
    return target;
  }
  throw new UserError(
    `${target.name} runs on this machine only, where no vantage reaches it. Deploy it and add --deployed, or give --target name=URL.`,
  );
}
