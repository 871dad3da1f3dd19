import { randomInt } from "node:crypto";
import { type CaseManifest, openRecord } from "@evenbench/core";
import { interleave } from "@evenbench/probe";
import type { LoadSubject, OpenLoad, RunEvent } from "@evenbench/results";
import { appIdOf, type Target } from "@evenbench/runner";
import { deriveSeed, describeTargets, expectationOf, runTargetOf } from "@evenbench/runner/engine";
import {
  K6_VERSION,
  type PlannedStage,
  plainly,
  proveFromHere,
  type RatePlan,
  reachable,
  tokenOf,
} from "@evenbench/vantages";
import { OPEN_MS } from "../k6/stage-plan.ts";

/** Longest that one exchange may take. Every stage waits so long for the last answers. */
const EXCHANGE_TIMEOUT_MS = 10_000;
/** After the last answer can have come. */
const REST_MS = 2000;

export interface MachinesOptions {
  readonly targets: readonly Target[];
  readonly cases: Readonly<Record<string, readonly CaseManifest[]>>;
  readonly otherCaseIds: readonly string[];
  readonly loads: readonly OpenLoad[];
  readonly trials: number;
  readonly stageMs: number;
  readonly machines: number;
  readonly seed?: number | undefined;
  readonly allow: readonly string[];
  readonly signal: AbortSignal;
  onEvent(event: Pick<RunEvent, "kind" | "detail">): void;
}

export interface MadeMachinesPlan {
  readonly plan: RatePlan;
  readonly seenMs: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export async function makeMachinesPlan(options: MachinesOptions): Promise<MadeMachinesPlan> {
  const targets = options.targets.map(reachable);
  const apps = Object.entries(options.cases).map(([app, cases]) => ({
    cases,
    targets: targets.filter((target) => appIdOf(target) === app),
  }));
  const { proved, seenMs, head } = await proveFromHere(apps, options, EXCHANGE_TIMEOUT_MS);
  const seed = options.seed ?? randomInt(2 ** 32);
  const stages = apps.flatMap(({ cases, targets: own }) =>
    cases.flatMap(({ id }) =>
      stagesOf(
        id,
        own.map(({ name }) => name),
        options,
        seed,
      ),
    ),
  );
  const cases = apps.flatMap((app) => app.cases);
  const requests = cases.map(
    ({ id, path }) => [id, { path, expected: plainly(expectationOf(proved, id)) }] as const,
  );
  const described = await describeTargets(
    targets.map((target) => runTargetOf({ name: target.name, target, copyOf: null })),
    proved.identities,
  );
  const plan: RatePlan = {
    ...head,
    kind: "rate",
    load: {
      cases,
      subjects: described.map(
        (target): LoadSubject => ({ name: target.name, target, instances: 1, workers: 1, parameters: {} }),
      ),
      loads: options.loads,
      condition: null,
      trials: options.trials,
      stageMs: options.stageMs,
      seed,
      allowedPins: options.allow,
      engine: { name: "k6", version: K6_VERSION },
    },
    machines: options.machines,
    requests: openRecord(requests),
    origins: openRecord(targets.map(({ name, url }) => [name, new URL(url).origin] as const)),
    closed: targets.filter(({ name }) => tokenOf(targets, name) !== null).map(({ name }) => name),
    slotMs: OPEN_MS + options.stageMs + EXCHANGE_TIMEOUT_MS + REST_MS,
    stages,
  };
  return { plan, seenMs };
}

function stagesOf(
  caseId: string,
  subjects: readonly string[],
  { loads, trials }: MachinesOptions,
  seed: number,
): readonly PlannedStage[] {
  return Array.from({ length: trials }, (_, trial) => {
    const all = subjects.flatMap((subject) => loads.map((_load, load) => ({ caseId, subject, trial, load })));
    return interleave(all, deriveSeed(seed, caseId, trial, "order"))();
  }).flat();
}
