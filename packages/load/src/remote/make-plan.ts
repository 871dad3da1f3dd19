import { randomInt } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { type CaseManifest, openRecord, UserError } from "@evenbench/core";
import { readSource, version } from "@evenbench/host";
import { createProbe, EXCHANGE_TIMEOUT_MS, interleave } from "@evenbench/probe";
import type { LoadTarget, OpenLoad, RunEvent, RunPlan, RunTarget } from "@evenbench/results";
import {
  comparisons,
  deriveSeed,
  describeTargets,
  expectationOf,
  firstPlan,
  hasTransfer,
  type Proved,
  prove,
  type RunOptions,
  runTargetOf,
  type Target,
  transferRequest,
  type UrlTarget,
} from "@evenbench/runner";
import { K6_VERSION } from "../../get-k6.mjs";
import {
  PLAN_SCHEMA_VERSION,
  type Plan,
  type PlannedCase,
  type PlannedRequest,
  type RatePlan,
  stagePlanOf,
  type VantagePlan,
} from "./plan.ts";
import { dueCount, OPEN_MS } from "./rate.ts";

interface PlanOptions
  extends Pick<RunOptions, "targets" | "cases" | "otherCaseIds" | "allow" | "seed" | "signal"> {
  readonly trials: number;
  onEvent?(event: Pick<RunEvent, "kind" | "detail">): void;
}

export interface VantageOptions extends PlanOptions, Pick<RunOptions, "baseline"> {
  readonly rounds: number;
  readonly warmUpExchanges: number;
}

export interface RateOptions extends PlanOptions {
  readonly loads: readonly OpenLoad[];
  readonly stageMs: number;
  readonly machines: number;
}

export interface MadePlan<P extends Plan = Plan> {
  readonly plan: P;
  /** Milliseconds of an exchange, as preflight saw it: by case id and target name. */
  readonly seenMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export async function makePlan(options: VantageOptions): Promise<MadePlan<VantagePlan>> {
  const targets = options.targets.map(reachable);
  refuseSameAddress(targets);
  const first = firstPlan({ ...options, timeMs: null });
  const compared = comparisons(options);
  const { proved, seenMs, head } = await proveFromHere(compared, options, EXCHANGE_TIMEOUT_MS);
  const run = { ...first, ...(await describeTargets(first.targets, proved.identities)) };
  const cases: PlannedCase[] = [];
  for (const { cases: manifests, targets: own, measuredTargets } of compared) {
    for (const manifest of manifests) {
      const request = requestOf(manifest, proved);
      const parts = hasTransfer(request) ? await partsOf(own.map(reachable), request) : 0;
      const transfer = parts === 0 ? null : transferRequest(request.expected.bytes, parts);
      cases.push({ id: manifest.id, request, transfer, targets: measuredTargets.map(({ name }) => name) });
    }
  }
  const counts = countsOf(run, cases, seenMs);
  return { seenMs, plan: { ...head, ...reach(targets, run.targets), kind: "rounds", run, cases, counts } };
}

const STAGE_TIMEOUT_MS = 10_000;
const REST_MS = 2000;

export async function makeRatePlan(options: RateOptions): Promise<MadePlan<RatePlan>> {
  const targets = options.targets.map(reachable);
  const apps = comparisons(options);
  const { proved, seenMs, head } = await proveFromHere(apps, options, STAGE_TIMEOUT_MS);
  const { loads, trials, stageMs, machines, allow = [], seed = randomInt(2 ** 32) } = options;
  const cases = apps.flatMap((app) => app.cases);
  const { targets: described } = await describeTargets(
    targets.map((target) => runTargetOf({ name: target.name, target, copyOf: null })),
    proved.identities,
  );
  const loaded = described.map((target): LoadTarget => {
    return { name: target.name, target, instances: 1, workers: 1, parameters: {} };
  });
  const engine = { name: "k6", version: K6_VERSION };
  const plan: RatePlan = {
    ...head,
    ...reach(targets, described),
    kind: "rate",
    load: {
      cases,
      targets: loaded,
      loads,
      condition: null,
      trials,
      stageMs,
      seed,
      allowedPins: allow,
      engine,
    },
    machines,
    requests: openRecord(cases.map((manifest) => [manifest.id, requestOf(manifest, proved)] as const)),
    slotMs: OPEN_MS + stageMs + STAGE_TIMEOUT_MS + REST_MS,
    stages: apps.flatMap((app) =>
      app.cases.flatMap(({ id }) =>
        Array.from({ length: trials }, (_, trial) => {
          const all = app.targets.flatMap(({ name }) =>
            loads.map((load) => ({ caseId: id, target: name, trial, load })),
          );
          return interleave(all, deriveSeed(seed, id, trial, "order"))();
        }).flat(),
      ),
    ),
  };
  return { plan, seenMs };
}

async function proveFromHere(
  apps: Parameters<typeof prove>[0],
  options: PlanOptions,
  exchangeTimeoutMs: number,
) {
  const proved = await prove(apps, options, {
    signal: options.signal ?? new AbortController().signal,
    recorder: { event: (kind, detail) => options.onEvent?.({ kind, detail }) },
    instanceSettings: { workers: 1, cores: null, logFolder: "", exchangeTimeoutMs },
  });
  const seen = Object.entries(proved.seen).map(([id, { exchangeMs }]) => [id, exchangeMs] as const);
  const head = {
    schemaVersion: PLAN_SCHEMA_VERSION,
    createdAt: new Date().toISOString(),
    evenbenchVersion: version,
    source: readSource(),
    identities: proved.identities,
    exchangeTimeoutMs,
  } as const;
  return { proved, seenMs: openRecord(seen), head };
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

function requestOf({ id, path }: CaseManifest, proved: Proved): PlannedRequest {
  return { path, expected: expectationOf(proved, id) };
}

function reach(targets: readonly UrlTarget[], all: readonly RunTarget[]): Pick<Plan, "origins" | "closed"> {
  const withToken = targets.filter(({ token = null }) => token !== null).map(({ name }) => name);
  const origins = all.map(({ name, url, copyOf }) => {
    const { origin } = new URL(url ?? "");
    return [name, copyOf === null ? origin : secondOrigin(origin)] as const;
  });
  const closed = all.filter(({ name, copyOf }) => withToken.includes(copyOf ?? name));
  return { origins: openRecord(origins), closed: closed.map(({ name }) => name) };
}

function reachable(target: Target): UrlTarget {
  if (target.place === "url") return target;
  throw new UserError(
    `${target.name} runs on this machine only, where no vantage reaches it. Deploy it and add --where deployed, or give --target name=URL.`,
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

/** `waitedMs` counts as CPU time, which is the most that it can be. */
export interface Share {
  readonly platform: string | null;
  readonly requests: number;
  readonly bytes: number;
  readonly waitedMs: number;
}

export function sharesOf({ plan, seenMs }: MadePlan): readonly Share[] {
  if (plan.kind === "rounds") return sharesOfRounds(plan.run, plan.cases, seenMs);
  return plan.stages.map((stage) => {
    const { expected, connections, ...arrivals } = stagePlanOf(plan, stage);
    // One more on each connection opens it.
    const requests = dueCount(arrivals) + connections;
    return {
      platform: plan.identities[stage.target]?.platform ?? null,
      requests,
      bytes: requests * expected.bytes,
      waitedMs: requests * (seenMs[stage.caseId]?.[stage.target] ?? 0),
    };
  });
}

function sharesOfRounds(
  { targets, trials, roundsPerTrial, warmUpExchanges }: RunPlan,
  cases: readonly PlannedCase[],
  seenMs: MadePlan["seenMs"],
): readonly Share[] {
  const byName = new Map(targets.map((target) => [target.name, target]));
  const rounds = roundsPerTrial ?? 0;
  return cases.flatMap(({ id, request, transfer, targets: names }) => {
    const work = trials.minimum * ((warmUpExchanges ?? 0) + rounds);
    const text = transfer === null ? 0 : trials.minimum * rounds;
    const requests = work + text;
    const bytes = work * request.expected.bytes + text * (transfer?.expected.bytes ?? 0);
    return names.map((name) => {
      const { copyOf = null, platform = null } = byName.get(name) ?? {};
      return { platform, requests, bytes, waitedMs: requests * (seenMs[id]?.[copyOf ?? name] ?? 0) };
    });
  });
}

export function countsOf(
  run: RunPlan,
  cases: readonly PlannedCase[],
  seenMs: MadePlan["seenMs"],
): VantagePlan["counts"] {
  const { requests, bytes, waitedMs } = sumOf(sharesOfRounds(run, cases, seenMs));
  return { trials: run.trials.minimum * cases.length, exchanges: requests, bytes, expectedMs: waitedMs };
}

export function sumOf(shares: readonly Share[]): Omit<Share, "platform"> {
  const sum = { requests: 0, bytes: 0, waitedMs: 0 };
  for (const name of ["requests", "bytes", "waitedMs"] as const)
    for (const share of shares) sum[name] += share[name];
  return sum;
}

/** Written in another way: k6 keeps connections by host and port as they are written. */
export function secondOrigin(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const at = port === "" ? "" : `:${port}`;
  return `${protocol}//${otherHost(hostname)}${at}`;
}

function otherHost(host: string): string {
  if (isIPv4(host)) return `[::ffff:${host}]`;
  if (isIPv6(host.replace(/^\[|\]$/g, ""))) return longForm(host);
  const upper = host.toUpperCase();
  if (upper === host) throw new TypeError(`The host "${host}" has no second form.`);
  return upper;
}

function longForm(host: string): string {
  const [before = "", after = ""] = host.slice(1, -1).split("::");
  const parts = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = Array.from({ length: 8 - parts(before).length - parts(after).length }, () => "0");
  const long = [...parts(before), ...zeros, ...parts(after)].join(":");
  return `[${long}]` === host ? host.replace("[", "[0") : `[${long}]`;
}
