import { defineExperiment, type Rule, type StageValue, UNPACKING } from "../src/define.ts";
import { isAbove, isBelow } from "../src/judge.ts";

const CASE = "react-ssr";
const PLATFORMS = ["cloudflare", "node", "vercel"] as const;
/** Number of instances: as many as the smallest machine that can show anything has cores. */
const INSTANCES = 2;
const MOST_AT_A_TIME = 32;
/** Number of requests at a time of which half wait no more with two instances. */
const SHARED_AT_A_TIME = 4;
const CONCURRENCY = [1, SHARED_AT_A_TIME, MOST_AT_A_TIME];
const TRIAL_MS = 30_000;
/** Ratio of latencies from which on requests queue. */
const QUEUES = 2;
/** Ratio of CPU times below which it does not grow. */
const GROWS = 1.25;
/** Ratio of latencies below which several instances remove of the wait. */
const REMOVES = 0.8;

const several = (platform: string) => `${platform} x${INSTANCES}`;
const latency: StageValue = (summary) => summary.latency?.mean ?? null;
const cpu: StageValue = (summary) => summary.cpuMsPerExchange;

/** All cores: on a small machine several instances have nowhere to go when the client keeps a core for itself. */
const start = { cores: "all" } as const;

/**
 * The platform of the claim, which speaks of isolates. Its three parts: the wait grows, the CPU time does not, and a
 * second instance takes of the wait. The other platforms stand beside it.
 */
const CLAIMED = "cloudflare";

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
        { name: several(target), target, start: { ...start, instances: INSTANCES } },
      ]),
      loads: CONCURRENCY.map((connections) => ({ kind: "closed", connections })),
      trialMs: TRIAL_MS,
    },
  ],
  figures: PLATFORMS.flatMap((platform) => {
    const at = (offered: number, side: string = platform) => ({ side, offered });
    const ruleOf = (rule: Rule) => (platform === CLAIMED ? rule : undefined);
    const grown = { load: CASE, at: at(MOST_AT_A_TIME), against: at(1) };
    return [
      {
        ...grown,
        value: latency,
        rule: ruleOf(isAbove(QUEUES)),
        label: `${platform}: latency, ${MOST_AT_A_TIME} requests at a time / one`,
      },
      {
        ...grown,
        value: cpu,
        rule: ruleOf(isBelow(GROWS)),
        label: `${platform}: CPU time of a request, ${MOST_AT_A_TIME} at a time / one`,
      },
      {
        load: CASE,
        at: at(SHARED_AT_A_TIME, several(platform)),
        against: at(SHARED_AT_A_TIME),
        value: latency,
        rule: ruleOf(isBelow(REMOVES)),
        label: `${platform}: latency at ${SHARED_AT_A_TIME} at a time, ${INSTANCES} instances / one`,
      },
    ];
  }),
});
