import type { EdgeHeader } from "@evenbench/core";
import { sleep } from "k6";
import execution from "k6/execution";
import { Rate } from "k6/metrics";
import type { Options, Scenario } from "k6/options";
import type { BeginLine } from "../lines.ts";
import { OPEN_MS, RATE_UNIT_S, type StagePlan } from "../rate.ts";
import * as client from "./client.ts";

export interface EmbeddedRate {
  readonly hash: string;
  /** Where responses name the place that took the request. */
  readonly edges: readonly EdgeHeader[];
  readonly slotMs: number;
  readonly stages: readonly StagePlan[];
}

declare const EVENBENCH_PLAN: EmbeddedRate;
const PLAN = EVENBENCH_PLAN;

const MOST_FAILED = 0.9;
/** So long k6 stays after the last stage, so that what it used can be read. */
const LINGER_S = 0.5;

const scenarios: Record<string, Scenario> = {};
for (const [index, stage] of PLAN.stages.entries()) {
  const atMs = index * PLAN.slotMs;
  // A busy server takes new connections late, so they are opened before, as our own client does.
  scenarios[`open-${index}`] = {
    executor: "per-vu-iterations",
    exec: "open",
    startTime: `${atMs}ms`,
    vus: stage.connections,
    iterations: 1,
    maxDuration: `${OPEN_MS}ms`,
    gracefulStop: "0s",
  };
  scenarios[`load-${index}`] = {
    executor: "constant-arrival-rate",
    exec: "load",
    startTime: `${atMs + OPEN_MS}ms`,
    rate: stage.rate,
    timeUnit: `${RATE_UNIT_S}s`,
    duration: `${stage.stageMs}ms`,
    // A virtual user is a connection. What is due while all are taken is not sent.
    preAllocatedVUs: stage.connections,
    maxVUs: stage.connections,
    gracefulStop: `${stage.timeoutMs + 1000}ms`,
  };
}

export const options: Options = {
  scenarios,
  batchPerHost: 1,
  setupTimeout: "15m",
  systemTags: [],
  thresholds: {
    failed: [{ threshold: `rate<${MOST_FAILED}`, abortOnFail: true, delayAbortEval: "10s" }],
  },
};

/** Of bodies that are not the same each time, every so many-th is compared by its digest. */
const DIGEST_EVERY = 20;
/** And all of the last part of a stage, which show whether those before were right. */
const LAST_PART = 0.95;

/** Of this virtual user, by stage. */
const proven = new Map<number, client.ProvenBody>();
const begun = new Map<number, number>();

/** Virtual users share nothing; what k6 counts is the only count over all of them. */
const failed = new Rate("failed");

interface Started extends client.Begun {
  readonly token: string;
}

export function setup(): Started {
  const vantage = client.givenVantageName(PLAN.stages.some(({ isClosed }) => isClosed));
  const waitMs = Number(__ENV.EVENBENCH_START_AT || 0) - Date.now();
  if (waitMs > 0) {
    sleep(waitMs / 1000);
  }
  const part = partOf(execution.test.options.executionSegment ?? null);
  const name = String(part.index + 1);
  const begun = client.begin({ plan: PLAN.hash, vantage, client: name, part, exchanges: null });
  return { ...begun, token: client.givenToken() };
}

export function open({ token }: Started): void {
  const stage = PLAN.stages[indexHere()];
  if (stage !== undefined) {
    send(stage, token);
  }
}

export function load(started: Started): void {
  const index = indexHere();
  const stage = PLAN.stages[index];
  if (stage === undefined) {
    return;
  }
  const begunAtMs = sinceStartMs(stage);
  // At the very end k6 may try one more. What else comes as late is dropped, too.
  if (begunAtMs >= stage.stageMs) {
    return;
  }
  const response = send(stage, started.token);
  const overAtMs = sinceStartMs(stage);
  const seen = client.observe(response, stage.expected, lookAt(index, begunAtMs / stage.stageMs));
  failed.add(seen.error !== null);
  client.write({
    evenbench: "request",
    nonce: started.nonce,
    stage: index,
    connection: connectionHere(),
    begunAtMs: client.toMicroseconds(begunAtMs),
    blockedMs: client.toMicroseconds(response.timings.blocked),
    overAtMs: client.toMicroseconds(overAtMs),
    ...seen,
  });
}

/** @param progress of the stage, from 0 to 1. */
function lookAt(stage: number, progress: number): client.Look {
  const count = begun.get(stage) ?? 0;
  begun.set(stage, count + 1);
  const known = proven.get(stage) ?? client.noProvenBody();
  proven.set(stage, known);
  const withDigest = count % DIGEST_EVERY === 0 || progress >= LAST_PART;
  return { edges: PLAN.edges, withDigest, proven: known };
}

export function teardown(): void {
  sleep(LINGER_S);
}

interface Summary {
  readonly metrics: { readonly failed?: { readonly values: Readonly<Record<string, number>> } };
  readonly setup_data?: Started;
}

export function handleSummary({ metrics, setup_data: started }: Summary): Record<string, string> {
  if (started === undefined) {
    return {};
  }
  const { rate = 0, passes = 0, fails = 0 } = metrics.failed?.values ?? {};
  const stopped = rate >= MOST_FAILED ? `${Math.round(rate * 100)} % of the requests failed` : null;
  client.end(started, { stopped, exchanges: passes + fails, failed: passes });
  return {};
}

function send({ origins, path, expected: { sends }, timeoutMs, isClosed }: StagePlan, given: string) {
  const url = `${origins[connectionHere() % origins.length]}${path}`;
  const token = isClosed ? given : null;
  return client.ask({ url, timeoutMs, token, sends });
}

function indexHere(): number {
  return Number(execution.scenario.name.split("-")[1]);
}

function connectionHere(): number {
  return execution.vu.idInInstance - 1;
}

/**
 * k6 has no fine clock for scripts, but the share of a scenario that is over comes from one; after it, the
 * wall clock.
 */
function sinceStartMs({ stageMs }: StagePlan): number {
  const { progress, startTime } = execution.scenario;
  return progress < 1 ? progress * stageMs : Math.max(stageMs, Date.now() - startTime);
}

/** "1/4:1/2" is the second of four parts. */
function partOf(segment: string | null): NonNullable<BeginLine["part"]> {
  const [from = 0, to = 1] = String(segment ?? "0:1")
    .split(":")
    .map((edge) => {
      const [over = 0, under = 1] = edge.split("/").map(Number);
      return over / under;
    });
  const count = Math.max(1, Math.round(1 / (to - from)));
  return { index: Math.round(from * count), count };
}
