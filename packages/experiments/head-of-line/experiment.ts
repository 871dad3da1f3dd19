import { defineExperiment, type Rule, type StageValue, UNPACKING } from "../src/define.ts";
import { isAbove, isBelow } from "../src/judge.ts";

const CASE = "react-ssr";
const PLATFORMS = ["cloudflare", "node", "vercel"] as const;
/** Number of instances: as many as the smallest machine that can show anything has cores. */
const INSTANCES = 2;
const MOST_AT_A_TIME = 32;
/** Requests at a time at which instances are compared: with two instances half of them wait no more. */
const SHARED_AT_A_TIME = 4;
/** Numbers of requests at a time, a stage each. */
const CONCURRENCIES = [1, SHARED_AT_A_TIME, MOST_AT_A_TIME];
const TRIAL_MS = 30_000;
/** Ratio of latencies, many requests at a time / one, above which requests queue. */
const QUEUED_LATENCY_RATIO = 2;
/** Ratio of a request's CPU times, many at a time / one, below which the CPU time does not grow. */
const GROWN_CPU_RATIO = 1.25;
/** Ratio of latencies, several instances / one, below which the further ones take a part of the wait away. */
const RELIEVED_LATENCY_RATIO = 0.8;

const sideWithInstances = (platform: string) => `${platform} x${INSTANCES}`;
const meanLatency: StageValue = (summary) => summary.latency?.mean ?? null;
const cpuPerRequest: StageValue = (summary) => summary.cpuMsPerExchange;

/** All cores: on a small machine several instances have nowhere to go when the client keeps a core for itself. */
const start = { cores: "all" } as const;

/**
 * The platform of the claim, which speaks of isolates. The claim has three parts: the wait grows, the CPU time does
 * not, and a second instance takes a part of the wait away. The other platforms stand beside it.
 */
const CLAIMED_PLATFORM = "cloudflare";

export default defineExperiment({
  title: "Waiting behind one isolate",
  claim:
    "A burst of CPU-heavy requests from one client queues behind one isolate; more isolates remove the wait, and the wait is not billed.",
  source: UNPACKING,
  published: "waits, without a figure",
  timeS: 170,
  loads: [
    {
      id: CASE,
      caseId: CASE,
      sides: PLATFORMS.flatMap((target) => [
        { name: target, target, start },
        { name: sideWithInstances(target), target, start: { ...start, instances: INSTANCES } },
      ]),
      loads: CONCURRENCIES.map((connections) => ({ kind: "closed", connections })),
      trialMs: TRIAL_MS,
    },
  ],
  figures: PLATFORMS.flatMap((platform) => {
    const at = (offered: number, side: string = platform) => ({ side, offered });
    const ruleOf = (rule: Rule) => (platform === CLAIMED_PLATFORM ? rule : undefined);
    const grown = { load: CASE, at: at(MOST_AT_A_TIME), against: at(1) };
    return [
      {
        ...grown,
        value: meanLatency,
        rule: ruleOf(isAbove(QUEUED_LATENCY_RATIO)),
        label: `${platform}: latency, ${MOST_AT_A_TIME} requests at a time / one`,
      },
      {
        ...grown,
        value: cpuPerRequest,
        rule: ruleOf(isBelow(GROWN_CPU_RATIO)),
        label: `${platform}: CPU time of a request, ${MOST_AT_A_TIME} at a time / one`,
      },
      {
        load: CASE,
        at: at(SHARED_AT_A_TIME, sideWithInstances(platform)),
        against: at(SHARED_AT_A_TIME),
        value: meanLatency,
        rule: ruleOf(isBelow(RELIEVED_LATENCY_RATIO)),
        label: `${platform}: latency at ${SHARED_AT_A_TIME} at a time, ${INSTANCES} instances / one`,
      },
    ];
  }),
});
