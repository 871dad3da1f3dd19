import type { EdgeHeader } from "@evenbench/core";
import { drawsComparison } from "@evenbench/probe/rules";
import { sleep } from "k6";
import execution from "k6/execution";
import { Rate } from "k6/metrics";
import type { Options, Scenario } from "k6/options";
import type { BeginLine } from "../lines.ts";
import { OPEN_MS, RATE_UNIT_S, type StagePlan } from "../rate.ts";
import * as client from "./client.ts";

/** The plan of a load as it is put into the script. */
export interface EmbeddedRate {
  /** The SHA-256 of the plan's file. */
  readonly hash: string;
  /** The headers of responses that name the place which took the request. */
  readonly edges: readonly EdgeHeader[];
  /** Milliseconds from the start of one stage to that of the next. */
  readonly slotMs: number;
  /** The stages in the order in which they are played. */
  readonly stages: readonly StagePlan[];
}

declare const EVENBENCH_PLAN: EmbeddedRate;
const PLAN = EVENBENCH_PLAN;

/** Fraction of failed requests from which on the script stops. */
const MAX_FAILED_SHARE = 0.9;
/** Seconds for which k6 stays after the last stage, so that its CPU time can be read. */
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

/** The options that k6 reads. */
export const options: Options = {
  scenarios,
  batchPerHost: 1,
  setupTimeout: "15m",
  systemTags: [],
  thresholds: {
    failed: [{ threshold: `rate<${MAX_FAILED_SHARE}`, abortOnFail: true, delayAbortEval: "10s" }],
  },
};

/** Share of a stage after which all of these bodies are compared: they show whether those before were right. */
const LAST_PART = 0.95;

/** The last right bodies of this virtual user, by index of the stage. */
const proven = new Map<number, client.ProvenDigest>();

/** Virtual users share nothing; what k6 counts is the only count over all of them. */
const failed = new Rate("failed");

/** The data that k6 hands from `setup` on to the other functions. */
interface Started extends client.Begun {
  readonly token: string;
}

/** Begins the client's log, at the time that was asked for. k6 calls it once. */
export function setup(): Started {
  const vantage = client.givenVantageName(PLAN.stages.some(({ isClosed }) => isClosed));
  const waitMs = Number(__ENV.EVENBENCH_START_AT || 0) - Date.now();
  if (waitMs > 0) {
    sleep(waitMs / 1000);
  }
  const part = segmentPartOf(execution.test.options.executionSegment ?? null);
  const name = String(part.index + 1);
  const begun = client.begin({ plan: PLAN.hash, vantage, client: name, part, exchanges: null });
  return { ...begun, token: client.givenToken() };
}

/** Opens the connection of a virtual user. k6 calls it before a stage. */
export function open({ token }: Started): void {
  const stage = PLAN.stages[indexHere()];
  if (stage !== undefined) {
    sendOfStage(stage, token);
  }
}

/** Sends one request, and writes its line. k6 calls it for each arrival. */
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
  const response = sendOfStage(stage, started.token);
  const overAtMs = sinceStartMs(stage);
  const seen = client.observe(
    response,
    stage.expected,
    observeTerms(index, stage.expected, begunAtMs / stage.stageMs),
  );
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

/** Gives the terms on which a response is observed. @param progress of the stage, from 0 to 1. */
function observeTerms(stage: number, expected: StagePlan["expected"], progress: number): client.ObserveTerms {
  const known = proven.get(stage) ?? client.noProvenDigest();
  proven.set(stage, known);
  const withDigest = drawsComparison(expected) || progress >= LAST_PART;
  return { edges: PLAN.edges, withDigest, proven: known };
}

/** Waits a moment. k6 calls it once, at the end. */
export function teardown(): void {
  sleep(LINGER_S);
}

/** The part of k6's summary that is read. */
interface Summary {
  readonly metrics: { readonly failed?: { readonly values: Readonly<Record<string, number>> } };
  readonly setup_data?: Started;
}

/** Ends the client's log. k6 calls it with its own counts, in the place of its summary. */
export function handleSummary({ metrics, setup_data: started }: Summary): Record<string, string> {
  if (started === undefined) {
    return {};
  }
  const { rate = 0, passes = 0, fails = 0 } = metrics.failed?.values ?? {};
  const stopped = rate >= MAX_FAILED_SHARE ? `${Math.round(rate * 100)} % of the requests failed` : null;
  client.writeEnd(started, { stopped, exchanges: passes + fails, failed: passes });
  return {};
}

/** Sends a request of a stage. */
function sendOfStage({ origins, path, expected: { sends }, timeoutMs, isClosed }: StagePlan, given: string) {
  const url = `${origins[connectionHere() % origins.length]}${path}`;
  const token = isClosed ? given : null;
  return client.ask({ url, timeoutMs, token, sends });
}

/** Gives the index of the stage that this call belongs to. */
function indexHere(): number {
  return Number(execution.scenario.name.split("-")[1]);
}

/** Gives the index of this virtual user, which is a connection. */
function connectionHere(): number {
  return execution.vu.idInInstance - 1;
}

/**
 * Gives the milliseconds since the stage began. k6 has no fine clock for scripts, but the share of a scenario that is
 * over comes from one; after the scenario it is the wall clock.
 */
function sinceStartMs({ stageMs }: StagePlan): number {
  const { progress, startTime } = execution.scenario;
  return progress < 1 ? progress * stageMs : Math.max(stageMs, Date.now() - startTime);
}

/** Reads an execution segment of k6: "1/4:1/2" is the second of four parts. */
function segmentPartOf(segment: string | null): NonNullable<BeginLine["part"]> {
  const [from = 0, to = 1] = String(segment ?? "0:1")
    .split(":")
    .map((edge) => {
      const [over = 0, under = 1] = edge.split("/").map(Number);
      return over / under;
    });
  const count = Math.max(1, Math.round(1 / (to - from)));
  return { index: Math.round(from * count), count };
}
