import type { StageSummary } from "@evenbench/load";
import { formatMs } from "@evenbench/report/parts";
import type { Figure, FigureTable, Outcome } from "@evenbench/results";
import { defineExperiment, type Side, UNPACKING } from "../src/define.ts";
import { conclude, judgeAbove, judgeBelow } from "../src/judge.ts";
import { type LoadAnswer, loadSides, meanAt, ratioAt, trialsFor } from "../src/load-sides.ts";

const CASE = "react-ssr";
const PLATFORMS = ["cloudflare", "node", "vercel"] as const;
/** As many as the smallest machine that can show anything has cores. */
const INSTANCES = 2;
const MOST_AT_A_TIME = 32;
/** So many that half of them wait no more with two instances. */
const SHARED_AT_A_TIME = 4;
const CONCURRENCY = [1, SHARED_AT_A_TIME, MOST_AT_A_TIME];
const TRIAL_MS = 30_000;
/** Waiting of less than this is no queue; CPU time that grows by less than this does not grow. */
const QUEUES = 2;
const GROWS = 1.25;
/** "Removes": several instances leave less than this of the time. */
const REMOVES = 0.8;

const one = (platform: string) => platform;
const several = (platform: string) => `${platform} x${INSTANCES}`;
const latency = (summary: StageSummary) => summary.latency?.mean ?? null;
const cpu = (summary: StageSummary) => summary.cpuMsPerExchange;

/** All cores: on a small machine several instances have nowhere to go when the client keeps a core for itself. */
const start = { cores: "all" } as const;
const SIDES = PLATFORMS.flatMap((target): (Side & { readonly instances: number })[] => [
  { name: one(target), target, start, instances: 1 },
  { name: several(target), target, start, instances: INSTANCES },
]);

export default defineExperiment<LoadAnswer>({
  title: "Waiting behind one isolate",
  claim:
    "A burst of CPU-heavy requests from one client queues behind one isolate; more isolates remove the wait, and the wait is not billed.",
  source: UNPACKING,
  published: "waits, without a figure",
  timeS: 170,
  sides: SIDES,
  measure: (context) =>
    loadSides(context, {
      caseId: CASE,
      sides: SIDES,
      loads: CONCURRENCY.map((connections) => ({ kind: "closed", connections })),
      trials: trialsFor(context.timeMs, TRIAL_MS),
      timeMs: context.timeMs,
    }),
  decide: ({ own }) => decide(own),
});

/** The wait grows, the CPU time does not, and a second instance takes of the wait. */
export function decide(answer: LoadAnswer): Outcome {
  const at = (side: string, offered: number) => ({ side, offered });
  const figures = PLATFORMS.flatMap((platform): Figure[] => {
    const [alone, busy] = [at(one(platform), 1), at(one(platform), MOST_AT_A_TIME)];
    const [single, shared] = [at(one(platform), SHARED_AT_A_TIME), at(several(platform), SHARED_AT_A_TIME)];
    return [
      judgeAbove(
        `${platform}: latency, ${MOST_AT_A_TIME} requests at a time / one`,
        ratioAt(answer, busy, alone, latency),
        QUEUES,
      ),
      judgeBelow(
        `${platform}: CPU time of a request, ${MOST_AT_A_TIME} at a time / one`,
        ratioAt(answer, busy, alone, cpu),
        GROWS,
      ),
      judgeBelow(
        `${platform}: latency at ${SHARED_AT_A_TIME} at a time, ${INSTANCES} instances / one`,
        ratioAt(answer, shared, single, latency),
        REMOVES,
      ),
    ];
  });
  const note = answer.notes.length === 0 ? "" : ` ${answer.notes.join(" ")}`;
  const { verdict, reason } = conclude(figures);
  return { verdict, reason: reason + note, figures, tables: [sweepTable(answer)] };
}

function sweepTable(answer: LoadAnswer): FigureTable {
  const rows = SIDES.flatMap(({ name }) =>
    CONCURRENCY.map((connections) => {
      const mean = (pick: (summary: StageSummary) => number | null) =>
        meanAt(answer, { side: name, offered: connections }, pick)?.estimate ?? null;
      const count = (value: number | null) => (value === null ? "–" : value.toFixed(1));
      return [
        name,
        String(connections),
        formatMs(mean(latency)),
        count(mean(({ inFlightMean }) => inFlightMean)),
        count(mean(({ outstandingMean }) => outstandingMean)),
        formatMs(mean(cpu)),
        count(mean(({ perSecond }) => perSecond)),
      ];
    }),
  );
  const head = ["instances", "at a time", "latency", "in flight", "outstanding", "CPU/request", "answers/s"];
  return { title: "Latency, requests in flight on arrival, and CPU time", head, rows };
}
