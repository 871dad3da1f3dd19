import type { CaseManifest } from "@evenbench/core";
import { countsOf, secondOrigin } from "../src/make-plan.ts";
import { PLAN_SCHEMA_VERSION, type PlannedCase, type VantagePlan } from "../src/plan.ts";

export interface PlanParts {
  /** Origins by target name; the first is the baseline, which gets its A/A copy. */
  readonly targets: Readonly<Record<string, string>>;
  cases(targets: readonly string[]): readonly PlannedCase[];
  readonly trials?: number;
  readonly rounds?: number;
  readonly warmUp?: number;
  readonly isClosed?: boolean;
  readonly timeoutMs?: number;
}

/** A plan that was not proven: for targets that a test serves itself. */
export function planOf(parts: PlanParts): VantagePlan {
  const { trials = 2, rounds = 6, warmUp = 3, isClosed = false, timeoutMs = 10_000 } = parts;
  const [baseline = ""] = Object.keys(parts.targets);
  const names = [...Object.keys(parts.targets), `${baseline}~copy`];
  const originOf = (name: string) => parts.targets[name.replace("~copy", "")] ?? "";
  const cases = parts.cases(names);
  const run: VantagePlan["run"] = {
    cases: cases.map(manifestOf),
    targets: names.map((name) => ({
      name,
      app: "bundle",
      platform: name === "cloudflare" ? "cloudflare" : "node",
      place: "url",
      url: originOf(name),
      copyOf: name.endsWith("~copy") ? baseline : null,
    })),
    seed: 20_261_122,
    caseBudgetMs: {},
    trials: { minimum: trials, maximum: trials },
    roundsPerTrial: rounds,
    precision: 0.02,
    serverCores: "all",
    spacing: 1,
    pauseMs: 0,
    workers: 1,
    warmUpExchanges: warmUp,
    coldStarts: 0,
    digestEvery: 20,
    allowedPins: [],
  };
  return {
    schemaVersion: PLAN_SCHEMA_VERSION,
    kind: "rounds",
    createdAt: "2026-11-22T10:00:00.000Z",
    evenbenchVersion: "0.1.0",
    source: null,
    run,
    identities: {},
    cases,
    origins: Object.fromEntries(
      names.map((name) => [name, name.endsWith("~copy") ? secondOrigin(originOf(name)) : originOf(name)]),
    ),
    closed: isClosed ? names : [],
    exchangeTimeoutMs: timeoutMs,
    counts: countsOf(run, cases, {}),
  };
}

export function manifestOf({
  id,
  request: { path, expected },
}: Pick<PlannedCase, "id" | "request">): CaseManifest {
  const { status, contentType, bytes, sha256, masks, variation } = expected;
  return {
    id,
    path,
    title: id,
    kind: null,
    description: id,
    parameters: {},
    golden: { status, contentType, bytes, sha256 },
    masks,
    headline: "lastByteMs",
    notSameCode: null,
    services: [],
    variation,
    page: null,
  };
}
