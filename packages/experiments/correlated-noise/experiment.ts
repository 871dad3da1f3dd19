import type { Figure, Outcome } from "@evenbench/results";
import { copyOf } from "../src/analyse.ts";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { estimate, exactly } from "../src/judge.ts";
import { type CorrelatedNoise, correlatedNoise } from "./noise.ts";

const CASE = "html-template";
const SIDE = { name: "node", target: "node" } as const;
const TRIAL_MS = 2500;
const LEAST_TRIALS = 5;
/**
 * From 67 trials on the ends of the interval lie no farther apart than what divides the verdicts, 1 and √2:
 * it then says one or the other.
 */
const MOST_TRIALS = 68;
/** Twice the variance that requests explain: an interval below this has nothing of the claim left. */
const NEGLIGIBLE = Math.SQRT2;

export default defineExperiment<CorrelatedNoise | null>({
  title: "Noise that more requests do not average away",
  claim:
    "More iterations do not correct for the machine that an instance landed on: the noise of requests to one instance is correlated.",
  source: UNPACKING,
  published: "no correction, without a figure",
  timeS: 300,
  sides: [SIDE],

  async measure({ compare, timeMs, seed }) {
    const affordable = Math.floor(timeMs / TRIAL_MS);
    const trials = Math.min(MOST_TRIALS, Math.max(LEAST_TRIALS, affordable));
    const plan = { id: "copies", caseId: CASE, sides: [SIDE], trials };
    const { samples } = await compare(plan, timeMs);
    const question = {
      caseId: CASE,
      metric: "lastByteMs",
      target: copyOf(SIDE.name),
      baseline: SIDE.name,
      seed,
    } as const;
    return correlatedNoise(samples, question);
  },

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
  const reproduced = excess.low > 1;
  const verdict = reproduced ? "reproduced" : excess.high < NEGLIGIBLE ? "not reproduced" : "inconclusive";
  const plain = { verdict: null, note: null } as const;
  const figures: Figure[] = [
    {
      label: "scatter between trials / what their requests explain (standard deviations)",
      unit: "ratio",
      value: estimate(excess),
      verdict,
      note: `From ${trials} trials.`,
    },
    {
      ...plain,
      label: "copy / original, interval by resampling instances",
      unit: "ratio",
      value: estimate(byInstances),
    },
    {
      ...plain,
      label: "copy / original, interval by resampling requests",
      unit: "ratio",
      value: estimate(byRequests),
    },
    {
      ...plain,
      label: "width of the first interval / of the second",
      unit: "ratio",
      value: exactly(width(byInstances) / width(byRequests)),
    },
    {
      ...plain,
      label: "standard deviation between trials",
      unit: "share",
      value: exactly(observed),
    },
    {
      ...plain,
      label: "standard error of a trial that its requests explain",
      unit: "share",
      value: exactly(explained),
    },
    { ...plain, label: "rounds", unit: "count", value: exactly(rounds) },
  ];
  const said = `Trials scatter ${excess.estimate.toFixed(1)} times as much as their requests explain (${excess.low.toFixed(1)}–${excess.high.toFixed(1)})`;
  const reason = {
    reproduced: `${said}: more requests to the same instances would not narrow that.`,
    "not reproduced": `${said}: what scatters is the requests.`,
    inconclusive: `${said}: the interval includes 1. More time (--time) gives more trials.`,
  }[verdict];
  return { verdict, reason, figures, tables: [] };
}
