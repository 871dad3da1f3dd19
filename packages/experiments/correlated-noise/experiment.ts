import type { Estimate, Outcome, PartVerdict, Sample } from "@evenbench/results";
import {
  analyseFit,
  fitCase,
  instanceIn,
  instancesOf,
  mean,
  median,
  type RatioInterval,
  variance,
} from "@evenbench/stats";
import chiSquareQuantile from "@stdlib/stats-base-dists-chisquare-quantile";
import { copyOf } from "../src/analyse-sides.ts";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { figureOf, outcomeOf } from "../src/judge.ts";

/** The one comparison: a target with its copy. */
const COPIES_COMPARISON = {
  id: "copies",
  caseId: "html-template",
  sides: [{ name: "node", target: "node" }],
  // From 67 trials on the ends of the interval lie no farther apart than what divides the verdicts, 1 and √2.
  mostTrials: 68,
} as const;
/** Twice the variance which requests explain, as standard deviations: below it nothing of the claim is left. */
const NEGLIGIBLE_RATIO = Math.SQRT2;
const TRIALS_FOR_SCATTER = 5;
/** Number of groups of neighbouring rounds by which the error of a trial's median is estimated. */
const BATCHES = 8;

/** How two copies of one program scatter against each other. */
interface CorrelatedNoise {
  /** Number of rounds in all trials. */
  readonly rounds: number;
  /** Standard deviations of the log ratio: between trials as observed, and as their rounds alone explain. */
  readonly observed: number;
  readonly explained: number;
  /** `observed` / `explained`, with the 95 % interval of `observed` by the chi-square distribution. */
  readonly excess: RatioInterval;
}

/** The claim has one part: by how much trials scatter beyond what their requests explain. */
export default defineExperiment<CorrelatedNoise | null>({
  title: "Noise that more requests do not average away",
  claim:
    "More iterations do not correct for the machine that an instance landed on: the noise of requests to one instance is correlated.",
  source: UNPACKING,
  published: "no correction, without a figure",
  timeS: 300,
  comparisons: [COPIES_COMPARISON],
  measure: async ({ samplesOf }) => noiseOf(await samplesOf(COPIES_COMPARISON.id)),
  decide: ({ measured }) => outcomeOfNoise(measured),
});

/** Decides the claim: what scatters between two copies beyond their requests is of the instance. */
function outcomeOfNoise(noise: CorrelatedNoise | null): Outcome {
  const label = "scatter between trials / what their requests explain (standard deviations)";
  if (noise === null) {
    const note = `Too few trials were measured: ${TRIALS_FOR_SCATTER} are the least. More time (--time) gives more.`;
    return outcomeOf([figureOf(label, "ratio", null, { rule: judgeExcess, note })]);
  }
  const { excess, observed, explained, rounds } = noise;
  return outcomeOf([
    figureOf(label, "ratio", excess, { rule: judgeExcess }),
    figureOf("standard deviation between trials", "share", observed),
    figureOf("standard error of a trial that its requests explain", "share", explained),
    figureOf("rounds", "count", rounds),
  ]);
}

/** Judges by the ratio of the scatter between trials to what their requests explain. */
function judgeExcess({ estimate, low, high }: Estimate): readonly [PartVerdict, string] {
  const said = `Trials scatter ${estimate.toFixed(1)} times as much as their requests explain (${low.toFixed(1)}–${high.toFixed(1)})`;
  if (low > 1) {
    return ["reproduced", `${said}: more requests to the same instances would not narrow that.`];
  }
  if (high < NEGLIGIBLE_RATIO) {
    return ["not reproduced", `${said}: what scatters is the requests.`];
  }
  return ["unclear", `${said}: the interval includes 1. More time (--time) gives more trials.`];
}

/** Computes the scatter of a baseline against its copy; null with fewer than `TRIALS_FOR_SCATTER` trials. */
export function noiseOf(samples: readonly Sample[]): CorrelatedNoise | null {
  const target = copyOf("node");
  const baseline = "node";
  const question = { caseId: COPIES_COMPARISON.caseId, metric: "lastByteMs" } as const;
  const fit = fitCase(samples, { ...question, baseline, copy: null, targets: [baseline, target] });
  const comparison = analyseFit(fit).comparisons.find((compared) => compared.target === target);
  if (comparison?.ratio == null || comparison.trials < TRIALS_FOR_SCATTER) {
    return null;
  }
  const instances = instancesOf(samples, COPIES_COMPARISON.caseId, "lastByteMs");
  const copies = instances.filter((instance) => instance.target === target);
  const errors = copies.flatMap(({ trial, rounds }) => {
    const base = instanceIn(instances, { target: baseline, trial })?.rounds;
    const logs = [...rounds].flatMap(([round, ms]) => {
      const other = base?.get(round);
      return other === undefined ? [] : [Math.log(ms / other)];
    });
    return logs.length === 0 ? [] : [errorOfMedian(logs)];
  });
  const explained = Math.sqrt(mean(errors));
  const observed = Math.sqrt(variance(comparison.byTrial.map(Math.log)));
  const degrees = comparison.trials - 1;
  const excess = explained > 0 ? observed / explained : Number.POSITIVE_INFINITY;
  const at = (share: number) => excess * Math.sqrt(degrees / chiSquareQuantile(share, degrees));
  return {
    rounds: comparison.rounds,
    observed,
    explained,
    excess: { estimate: excess, low: at(0.975), high: at(0.025) },
  };
}

/** Estimates the variance of a trial's median by batch means: neighbouring rounds are alike (Conway, 1963). */
function errorOfMedian(logs: readonly number[]): number {
  const batches = Math.min(BATCHES, logs.length);
  const size = logs.length / batches;
  const medians = Array.from({ length: batches }, (_, at) =>
    median(logs.slice(Math.floor(at * size), Math.floor((at + 1) * size))),
  );
  return variance(medians) / batches;
}
