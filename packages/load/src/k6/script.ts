// What runs inside of k6 for one stage: no Node.js here.
import { ask, observe } from "@evenbench/vantages/script";
import { sleep } from "k6";
import execution from "k6/execution";
import type { Options } from "k6/options";
import type { K6Line } from "./lines.ts";
import { type K6StagePlan, RATE_UNIT_S } from "./stage-plan.ts";

/** Put in its place when the script is bundled. */
declare const EVENBENCH_PLAN: K6StagePlan;
const PLAN = EVENBENCH_PLAN;

/** For opening connections, before the stage. See `START_MS` in k6-engine.ts. */
const OPEN_MS = 2000;
/** So long k6 stays after the stage, so that what it used can be read. */
const LINGER_S = 0.5;

export const options: Options = {
  scenarios: {
    // A busy server takes new connections late, so they are opened before, as our own client does.
    open: {
      executor: "per-vu-iterations",
      exec: "open",
      vus: PLAN.connections,
      iterations: 1,
      maxDuration: `${OPEN_MS}ms`,
      gracefulStop: "0s",
    },
    load: {
      executor: "constant-arrival-rate",
      exec: "load",
      startTime: `${OPEN_MS}ms`,
      rate: PLAN.rate,
      timeUnit: `${RATE_UNIT_S}s`,
      duration: `${PLAN.stageMs}ms`,
      // A virtual user is a connection. What is due while all are taken is not sent.
      preAllocatedVUs: PLAN.connections,
      maxVUs: PLAN.connections,
      // All that was sent gets its answer or its time-out.
      gracefulStop: `${PLAN.timeoutMs + 1000}ms`,
    },
  },
  batchPerHost: 1,
  // k6's own statistics are not used; without tags they cost least.
  systemTags: [],
};

function send(): ReturnType<typeof ask> {
  const origin = PLAN.origins[connection() % PLAN.origins.length];
  return ask(`${origin}${PLAN.path}`, PLAN.timeoutMs);
}

export function open(): void {
  send();
}

export function load(): void {
  const begunAtMs = sinceStartMs();
  // At the very end k6 may try one more. What else comes as late is dropped, too.
  if (begunAtMs >= PLAN.stageMs) return;
  if (execution.scenario.iterationInTest === 0) {
    write({ evenbench: "begin", startedAt: execution.scenario.startTime });
  }
  const response = send();
  const overAtMs = sinceStartMs();
  const {
    digest: _digest,
    edge: _edge,
    protocol: _protocol,
    ...seen
  } = observe(response, PLAN.expected, false);
  write({
    evenbench: "request",
    connection: connection(),
    begunAtMs: toMicroseconds(begunAtMs),
    blockedMs: toMicroseconds(response.timings.blocked),
    overAtMs: toMicroseconds(overAtMs),
    ...seen,
  });
}

export function teardown(): void {
  sleep(LINGER_S);
}

export function handleSummary(): Record<string, string> {
  return {};
}

function connection(): number {
  return execution.vu.idInInstance - 1;
}

/**
 * Time since the stage's start. k6 has no fine clock for scripts; the share of a scenario that is over comes from one. Once it is over
 * there is only the wall clock, in whole milliseconds.
 */
function sinceStartMs(): number {
  const { progress, startTime } = execution.scenario;
  return progress < 1 ? progress * PLAN.stageMs : Math.max(PLAN.stageMs, Date.now() - startTime);
}

function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function write(line: K6Line): void {
  console.log(JSON.stringify(line));
}
