import { type EdgeHeader, openRecord, UserError } from "@evenbench/core";
import { discoverPlatforms, readSource, version } from "@evenbench/host";
import { firstPlan } from "@evenbench/load";
import { K6_VERSION } from "@evenbench/load/k6";
import { createProbe, EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { OpenLoad, RunEvent, RunTarget } from "@evenbench/results";
import {
  checkTargets,
  comparisons,
  describeTargets,
  expectationOf,
  firstPlan as firstRunPlan,
  hasTransfer,
  type RunOptions,
  type Target,
  transferRequest,
  type UrlTarget,
} from "@evenbench/runner";
import { secondOrigin } from "./origins.ts";
import {
  PLAN_SCHEMA_VERSION,
  type PlannedCase,
  type PlannedRequest,
  type RatePlan,
  type RoundsPlan,
} from "./plan.ts";

interface PlanOptions
  extends Pick<RunOptions, "targets" | "cases" | "otherCaseIds" | "allow" | "seed" | "signal"> {
  readonly trials: number;
  onEvent?(event: Pick<RunEvent, "kind" | "detail">): void;
}

export interface RoundsOptions extends PlanOptions, Pick<RunOptions, "baseline"> {
  readonly rounds: number;
  readonly warmUp: number;
}

export interface RateOptions extends PlanOptions {
  readonly loads: readonly OpenLoad[];
  readonly stageMs: number;
  readonly machines: number;
}

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
  const { head, described } = await planFromHere(options, first.targets, EXCHANGE_TIMEOUT_MS);
  return { ...head, kind: "rounds", run: { ...first, ...described } };
}

const STAGE_TIMEOUT_MS = 10_000;

export async function makeRatePlan({ machines, loads, ...options }: RateOptions): Promise<RatePlan> {
  const engine = { name: "k6", version: K6_VERSION };
  const targets = options.targets.map((target) => ({ ...target, instances: 1, workers: 1 }));
  const first = firstPlan({ ...options, targets, goal: { kind: "sweep", loads }, engine });
  const { head, described } = await planFromHere(options, first.targets, STAGE_TIMEOUT_MS, false);
  return {
    ...head,
    kind: "rate",
    machines,
    run: { ...first, stageMs: options.stageMs, targets: described.targets },
  };
}

/** All platforms' own: a server that is named by its URL may stand behind any of them. */
async function knownEdges(): Promise<readonly EdgeHeader[]> {
  const platforms = await discoverPlatforms(undefined, () => {});
  return platforms.flatMap(({ edge }) => edge ?? []);
}

async function planFromHere<T extends RunTarget>(
  options: PlanOptions,
  all: readonly T[],
  exchangeTimeoutMs: number,
  withTransfer = true,
) {
  const targets = options.targets.map(reachable);
  const apps = comparisons(options);
  const proved = await checkTargets(apps, options, {
    signal: options.signal ?? new AbortController().signal,
    recorder: { event: (kind, detail) => options.onEvent?.({ kind, detail }) },
    instanceSettings: { workers: 1, cores: null, logFolder: "", exchangeTimeoutMs },
  });
  const cases: PlannedCase[] = [];
  for (const app of apps) {
    const served = targets.filter((target) => app.targets.includes(target));
    const names = all.filter(({ app: id }) => served.some(({ app }) => app === id)).map(({ name }) => name);
    for (const { id, path } of app.cases) {
      const request = { path, expected: expectationOf(proved, id) };
      const transfer =
        withTransfer && hasTransfer(request)
          ? transferRequest(request.expected.bytes, await partsOf(served, request))
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
  const head = {
    schemaVersion: PLAN_SCHEMA_VERSION,
    createdAt: new Date().toISOString(),
    evenbenchVersion: version,
    source: readSource(),
    identities: proved.identities,
    origins: openRecord(origins),
    closed: closed.map(({ name }) => name),
    exchangeTimeoutMs,
    edges: await knownEdges(),
    cases,
    seenMs: openRecord(seen),
  } as const;
  return { head, described: await describeTargets(all, proved.identities) };
}

/** In how many parts a body comes, the most of all targets: k6 does not report it. */
async function partsOf(targets: readonly UrlTarget[], { path, expected }: PlannedRequest): Promise<number> {
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
    `${target.name} runs on this machine only, where no vantage reaches it. Deploy it and add --where deployed, or give --target name=URL.`,
  );
}
