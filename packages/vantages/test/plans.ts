import { MANIFEST_DEFAULTS } from "@evenbench/core";
import { BODY, expectedOf } from "@evenbench/load/testing/k6";
import type { RunTarget } from "@evenbench/results";
import { exampleLoad, exampleRun } from "@evenbench/results/testing";
import { secondOrigin } from "../src/origins.ts";
import { PLAN_SCHEMA_VERSION, type RatePlan, type RoundsPlan, type VantageCase } from "../src/plan.ts";

// Plans that were not proven: for targets that a test serves itself.

/** Makes a case of a plan, whose targets send this body. */
export function caseOf(id: string, targets: readonly string[], body = BODY): VantageCase {
  const answer = expectedOf(body);
  // As `make-plan.ts` writes it: the digest of a constant body of that length is not known.
  const payload = { ...answer, sha256: "", unchecked: "digest" as const };
  return {
    id,
    targets,
    request: { path: `/${id}`, expected: answer },
    transfer: { path: `/payload?bytes=${answer.bytes}&chunks=1`, expected: payload },
  };
}

function manifestOf({ id, request: { path, expected } }: VantageCase) {
  const { status, contentType, bytes, sha256, masks, variation } = expected;
  return {
    ...MANIFEST_DEFAULTS,
    id,
    path,
    title: id,
    description: id,
    masks,
    variation,
    golden: { status, contentType, bytes, sha256 },
  };
}

function targetOf(name: string, url: string, copyOf: string | null = null): RunTarget {
  const platform = name === "cloudflare" ? "cloudflare" : "node";
  return { name, app: "bundle", platform, place: "url", url, copyOf };
}

const HEAD = {
  schemaVersion: PLAN_SCHEMA_VERSION,
  createdAt: "2026-11-22T10:00:00.000Z",
  evenbenchVersion: "0.1.0",
  source: null,
  identities: {},
  edges: [
    { header: "x-place", pattern: "^at ([a-z]+)$" },
    { header: "x-way", pattern: "^([a-z]{3}\\d)::" },
  ],
} as const;

/** The choices of a plan. */
export interface PlanParts extends Partial<Pick<RoundsPlan, "seenMs">> {
  /** Origins by target name; the first is the baseline, which gets its A/A copy. */
  readonly targets: Readonly<Record<string, string>>;
  /** Makes its cases for its targets. Default: "trig". */
  cases?(targets: readonly string[]): readonly VantageCase[];
  readonly trials?: number;
  readonly rounds?: number;
  readonly warmUp?: number;
  readonly isClosed?: boolean;
  readonly timeoutMs?: number;
}

/** Makes a plan of rounds. */
export function planOf(parts: PlanParts): RoundsPlan {
  const { trials = 2, rounds = 6, warmUp = 3, isClosed = false, timeoutMs = 10_000, seenMs = {} } = parts;
  const [[baseline, origin] = ["", ""], ...others] = Object.entries(parts.targets);
  const copy = `${baseline}~copy`;
  const origins = Object.fromEntries([[baseline, origin], ...others, [copy, secondOrigin(origin)]]);
  const names = Object.keys(origins);
  const cases = parts.cases?.(names) ?? [caseOf("trig", names)];
  const run: RoundsPlan["run"] = {
    ...exampleRun.plan,
    cases: cases.map(manifestOf),
    targets: names.map((name) =>
      name === copy ? targetOf(copy, origin, baseline) : targetOf(name, origins[name] ?? ""),
    ),
    seed: 20_261_122,
    caseLimitMs: {},
    trials: { minimum: trials, maximum: trials },
    roundsPerTrial: rounds,
    serverCores: "all",
    warmUpExchanges: warmUp,
    digestEvery: 20,
  };
  const closed = isClosed ? names : [];
  return { ...HEAD, kind: "rounds", run, cases, origins, closed, exchangeTimeoutMs: timeoutMs, seenMs };
}

/** Makes a plan of a load on one case, over eight connections of two machines. */
export function ratePlanOf(origin: string, perSecond: number, trials: number): RatePlan {
  const planned = caseOf("trig", ["node"]);
  return {
    ...HEAD,
    kind: "rate",
    run: {
      ...exampleLoad.plan,
      cases: [manifestOf(planned)],
      targets: [{ ...targetOf("node", origin), instances: 1, workers: 1 }],
      loads: [{ kind: "open", perSecond, arrivals: "uniform", connections: 8 }],
      trials,
      stageMs: 2000,
      engine: { name: "k6", version: "2.2.0" },
    },
    machines: 2,
    cases: [{ ...planned, transfer: null }],
    seenMs: {},
    origins: { node: origin },
    closed: [],
    exchangeTimeoutMs: 1000,
  };
}
