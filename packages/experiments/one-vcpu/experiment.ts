import { defineExperiment, UNPACKING } from "../src/define.ts";
import { judgeEqual, outcomeOf, ratioFigure } from "../src/judge.ts";

const WITHIN = 0.05;
/** One case that computes on one thread. A margin of 5 % wants many trials, which a heavier case has no time for. */
const CASE = "react-ssr";
const TARGETS = ["node", "cloudflare"] as const;
const MOST_TRIALS = 40;

export default defineExperiment({
  title: "A second vCPU",
  claim: "A second vCPU makes no difference to a single-threaded workload.",
  source: UNPACKING,
  published: "1×",
  timeS: 420,
  comparisons: TARGETS.map((target) => ({
    id: target,
    caseId: CASE,
    mostTrials: MOST_TRIALS,
    sides: [
      { name: "one core", target, start: { cores: "one" } },
      // All cores, on which the client waits while a server computes.
      { name: "two cores", target, start: { cores: "all" } },
    ],
  })),
  decide({ comparisons }) {
    const question = { side: "two cores", against: "one core" } as const;
    const deciding = TARGETS.map((target) =>
      judgeEqual(comparisons[target], {
        ...question,
        label: `${CASE} on ${target}: time to the last byte, two cores / one`,
        metric: "lastByteMs",
        within: WITHIN,
      }),
    );
    const cpu = TARGETS.map((target) =>
      ratioFigure(comparisons[target], {
        ...question,
        label: `${CASE} on ${target}: CPU time, two cores / one`,
        metric: "cpu",
      }),
    );
    return outcomeOf(deciding, cpu);
  },
});
