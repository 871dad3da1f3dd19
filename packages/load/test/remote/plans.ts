import { createHash } from "node:crypto";
import { UNDECLARED } from "@evenbench/core";
import type { RunTarget } from "@evenbench/results";
import { secondOrigin } from "../../src/remote/make-plan.ts";
import {
  PLAN_SCHEMA_VERSION,
  type PlannedCase,
  type RatePlan,
  type RoundsPlan,
} from "../../src/remote/plan.ts";

// Plans that were not proven: for targets that a test serves itself.

export const BODY = "All targets send the same text.\n".repeat(200);

export function caseOf(id: string, targets: readonly string[], body = BODY): PlannedCase {
  const text = { status: 200, contentType: "text/plain", masks: [], variation: null, isPage: false };
  const sha256 = createHash("sha256").update(body).digest("hex");
  const bytes = Buffer.byteLength(body);
  return {
    id,
    targets,
    request: { path: `/${id}`, expected: { ...text, bytes, sha256 } },
    transfer: { path: `/payload?bytes=${bytes}&chunks=1`, expected: { ...text, bytes, sha256: "" } },
  };
}

function manifestOf({ id, request: { path, expected } }: PlannedCase) {
  const { status, contentType, bytes, sha256, masks, variation } = expected;
  return {
    ...UNDECLARED,
    ...{ id, path, title: id, description: id, masks, variation },
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
} as const;

export interface PlanParts {
  /** Origins by target name; the first is the baseline, which gets its A/A copy. */
  readonly targets: Readonly<Record<string, string>>;
  /** Default: "trig". */
  cases?(targets: readonly string[]): readonly PlannedCase[];
  readonly trials?: number;
  readonly rounds?: number;
  readonly warmUp?: number;
  readonly isClosed?: boolean;
  readonly timeoutMs?: number;
  readonly seenMs?: RoundsPlan["seenMs"];
}

export function planOf(parts: PlanParts): RoundsPlan {
  const { trials = 2, rounds = 6, warmUp = 3, isClosed = false, timeoutMs = 10_000 } = parts;
  const [[baseline, origin] = ["", ""], ...others] = Object.entries(parts.targets);
  const copy = `${baseline}~copy`;
  const origins = Object.fromEntries([[baseline, origin], ...others, [copy, secondOrigin(origin)]]);
  const names = Object.keys(origins);
  const cases = parts.cases?.(names) ?? [caseOf("trig", names)];
  const run: RoundsPlan["run"] = {
    cases: cases.map(manifestOf),
    targets: names.map((name) =>
      name === copy ? targetOf(copy, origin, baseline) : targetOf(name, origins[name] ?? ""),
    ),
    seed: 20_261_122,
    caseBudgetMs: {},
    trials: { minimum: trials, maximum: trials },
    roundsPerTrial: rounds,
    precision: 0.02,
    serverCores: "all",
    ...{ spacing: 1, pauseMs: 0, workers: 1, warmUpExchanges: warmUp, coldStarts: 0, digestEvery: 20 },
    allowedPins: [],
  };
  return {
    ...HEAD,
    kind: "rounds",
    run,
    cases,
    origins,
    closed: isClosed ? names : [],
    exchangeTimeoutMs: timeoutMs,
    seenMs: parts.seenMs ?? {},
  };
}

export interface RatePlanParts {
  readonly origin: string;
  readonly machines?: number;
  readonly perSecond?: number;
  readonly stageMs?: number;
  readonly trials?: number;
  readonly isClosed?: boolean;
}

/** Of one case, over eight connections. */
export function ratePlanOf(parts: RatePlanParts): RatePlan {
  const { origin, machines = 2, perSecond = 50, stageMs = 2000, trials = 1 } = parts;
  const planned = caseOf("trig", ["node"]);
  return {
    ...HEAD,
    kind: "rate",
    run: {
      cases: [manifestOf(planned)],
      targets: [{ ...targetOf("node", origin), instances: 1, workers: 1 }],
      loads: [{ kind: "open", perSecond, arrivals: "uniform", connections: 8 }],
      ...{ condition: null, trials, stageMs, seed: 1, allowedPins: [] },
      engine: { name: "k6", version: "2.2.0" },
    },
    machines,
    cases: [{ ...planned, transfer: null }],
    seenMs: {},
    origins: { node: origin },
    closed: parts.isClosed ? ["node"] : [],
    exchangeTimeoutMs: 1000,
  };
}
