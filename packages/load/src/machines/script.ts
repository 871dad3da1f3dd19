// What k6 runs on each of several machines: all stages of a plan, one after the other. No Node.js here.

import type { RateBeginLine, RateEndLine, RateExchangeLine } from "@evenbench/vantages";
import { drawNonce, givenToken, givenVantageName } from "@evenbench/vantages/script/surroundings";
import { sleep } from "k6";
import execution from "k6/execution";
import { Counter, Rate } from "k6/metrics";
import type { Options, Scenario } from "k6/options";
import { scenariosOf, send, sendTimed } from "../k6/stage-script.ts";
import type { EmbeddedLoadPlan } from "./embed.ts";

declare const EVENBENCH_PLAN: EmbeddedLoadPlan;
const PLAN = EVENBENCH_PLAN;

interface Started {
  readonly nonce: string;
  readonly token: string;
}

const scenarios: Record<string, Scenario> = {};
for (const [index, stage] of PLAN.stages.entries()) {
  const { open, load } = scenariosOf(stage, index * PLAN.slotMs);
  scenarios[`open-${index}`] = open;
  scenarios[`load-${index}`] = load;
}

export const options: Options = {
  scenarios,
  batchPerHost: 1,
  setupTimeout: "15m",
  // Nobody watches: a target that only fails is not to be loaded for the rest of the plan.
  thresholds: { failed: [{ threshold: "rate<0.9", abortOnFail: true, delayAbortEval: "10s" }] },
};

/** Virtual users share nothing; what k6 counts is the only count over all of them. */
const sent = PLAN.stages.map((_, index) => new Counter(`stage_${index}`));
const failed = new Rate("failed");

export function setup(): Started {
  const vantage = givenVantageName(PLAN.stages.some(({ isClosed }) => isClosed));
  const waitMs = Number(__ENV.EVENBENCH_START_AT || 0) - Date.now();
  if (waitMs > 0) sleep(waitMs / 1000);
  const nonce = drawNonce();
  write({
    evenbench: "begin",
    protocol: 1,
    plan: PLAN.hash,
    nonce,
    vantage,
    part: partOf(execution.test.options.executionSegment ?? null),
    startedAt: new Date().toISOString(),
  });
  return { nonce, token: givenToken() };
}

export function open({ token }: Started): void {
  const stage = stageHere();
  if (stage !== undefined) send(stage, stage.isClosed ? token : "");
}

export function load({ nonce, token }: Started): void {
  const stage = stageHere();
  if (stage === undefined) return;
  const one = sendTimed(stage, () => {}, stage.isClosed ? token : "");
  if (one === null) return;
  const index = indexHere();
  sent[index]?.add(1);
  failed.add(one.error !== null);
  write({ evenbench: "exchange", nonce, stage: index, ...one });
}

export function handleSummary(summary: {
  readonly metrics: Readonly<Record<string, { readonly values: Readonly<Record<string, number>> }>>;
  readonly setup_data?: Started;
}): Record<string, string> {
  if (summary.setup_data === undefined) return {};
  const exchanges = PLAN.stages.map((_, index) => summary.metrics[`stage_${index}`]?.values.count ?? 0);
  const rate = summary.metrics.failed?.values.rate ?? 0;
  write({
    evenbench: "end",
    plan: PLAN.hash,
    nonce: summary.setup_data.nonce,
    exchanges,
    stopped: rate >= 0.9 ? `${Math.round(rate * 100)} % of the requests failed` : null,
  });
  return {};
}

function indexHere(): number {
  return Number(execution.scenario.name.split("-")[1]);
}

function stageHere(): EmbeddedLoadPlan["stages"][number] | undefined {
  return PLAN.stages[indexHere()];
}

/** "1/4:1/2" is the second of four parts. */
function partOf(segment: string | null): RateBeginLine["part"] {
  const [from = 0, to = 1] = String(segment ?? "0:1")
    .split(":")
    .map((edge) => {
      const [over = 0, under = 1] = edge.split("/").map(Number);
      return over / under;
    });
  const of = Math.max(1, Math.round(1 / (to - from)));
  return { index: Math.round(from * of), of };
}

function write(line: RateBeginLine | RateExchangeLine | RateEndLine): void {
  console.log(JSON.stringify(line));
}
