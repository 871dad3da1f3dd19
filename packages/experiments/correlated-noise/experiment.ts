import type { Outcome } from "@evenbench/results";
import { copyOf } from "../src/compare.ts";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { figureOf } from "../src/judge.ts";
import { type CorrelatedNoise, correlatedNoise, LEAST_TRIALS } from "./noise.ts";

const PLAN = {
  id: "copies",
  caseId: "html-template",
  sides: [{ name: "node", target: "node" }],
  // From 67 trials on the ends of the interval lie no farther apart than what divides the verdicts, 1 and √2.
  mostTrials: 68,
} as const;
/** Twice the variance that requests explain: an interval below this has nothing of the claim left. */
const NEGLIGIBLE = Math.SQRT2;

export default defineExperiment<CorrelatedNoise | null>({
  title: "Noise that more requests do not average away",
  claim:
    "More iterations do not correct for the machine that an instance landed on: the noise of requests to one instance is correlated.",
  source: UNPACKING,
  published: "no correction, without a figure",
  timeS: 300,
  comparisons: [PLAN],
  measureShare: 0,
  measure: async ({ samplesOf }) =>
    correlatedNoise(await samplesOf(PLAN.id), {
      ...{ caseId: PLAN.caseId, metric: "lastByteMs", target: copyOf("node"), baseline: "node" },
    }),
  decide: ({ own }) => decide(own),
});

/**
 * Two copies of one program on one machine: what scatters between them beyond their requests is of the
 * instance alone.
 */
export function decide(noise: CorrelatedNoise | null): Outcome {
  if (noise === null) {
    const reason = `Too few trials were measured: ${LEAST_TRIALS} are the least. More time (--time) gives more.`;
    return { verdict: "inconclusive", reason, figures: [], tables: [] };
  }
  const { byInstances, byRequests, excess, observed, explained, trials, rounds } = noise;
  const width = ({ low, high }: { low: number; high: number }) => Math.log(high / low);
  const verdict =
    excess.low > 1 ? "reproduced" : excess.high < NEGLIGIBLE ? "not reproduced" : "inconclusive";
  const scatter = figureOf(
    "scatter between trials / what their requests explain (standard deviations)",
    "ratio",
    excess,
    { rule: () => [verdict, `From ${trials} trials.`] },
  );
  const said = `Trials scatter ${excess.estimate.toFixed(1)} times as much as their requests explain (${excess.low.toFixed(1)}–${excess.high.toFixed(1)})`;
  const reason = {
    reproduced: `${said}: more requests to the same instances would not narrow that.`,
    "not reproduced": `${said}: what scatters is the requests.`,
    inconclusive: `${said}: the interval includes 1. More time (--time) gives more trials.`,
  }[verdict];
  const figures = [
    scatter,
    figureOf("copy / original, interval by resampling instances", "ratio", byInstances),
    figureOf("copy / original, interval by resampling requests", "ratio", byRequests),
    figureOf("width of the first interval / of the second", "ratio", width(byInstances) / width(byRequests)),
    figureOf("standard deviation between trials", "share", observed),
    figureOf("standard error of a trial that its requests explain", "share", explained),
    figureOf("rounds", "count", rounds),
  ];
  return { verdict, reason, figures, tables: [] };
}
