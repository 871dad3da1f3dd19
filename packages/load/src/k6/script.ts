// What runs inside of k6 for one stage: no Node.js here.
import { sleep } from "k6";
import execution from "k6/execution";
import type { Options } from "k6/options";
import type { K6Line, K6StagePlan } from "./stage-plan.ts";
import { scenariosOf, send, sendTimed } from "./stage-script.ts";

declare const EVENBENCH_PLAN: K6StagePlan;
const PLAN = EVENBENCH_PLAN;

/** So long k6 stays after the stage, so that what it used can be read. */
const LINGER_S = 0.5;

export const options: Options = {
  scenarios: scenariosOf(PLAN, 0),
  batchPerHost: 1,
  // k6's own statistics are not used; without tags they cost least.
  systemTags: [],
};

export function open(): void {
  send(PLAN);
}

export function load(): void {
  const sent = sendTimed(PLAN, begin);
  if (sent === null) return;
  const { protocol: _protocol, ...seen } = sent;
  write({ evenbench: "request", ...seen });
}

function begin(): void {
  const { iterationInTest, startTime } = execution.scenario;
  if (iterationInTest === 0) write({ evenbench: "begin", startedAt: startTime });
}

export function teardown(): void {
  sleep(LINGER_S);
}

export function handleSummary(): Record<string, string> {
  return {};
}

function write(line: K6Line): void {
  console.log(JSON.stringify(line));
}
