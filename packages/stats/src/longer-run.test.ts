import { expect, test } from "vitest";
import { simulateSamples, TEST_SCENARIO } from "../test/samples.ts";
import { analyseFit, type Comparison, fitCase } from "./analyse-case.ts";
import { chanceOfVerdict, narrowingWith } from "./longer-run.ts";
import { CONFIDENCE_LEVEL, priorOfCases } from "./model.ts";
import { mean } from "./numbers.ts";
import { seededRandom } from "./random.ts";
import { isDecided } from "./verdict.ts";

const QUESTION = {
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
} as const;

/** How wide a comparison's interval would be with so many trials, to either side on the scale of logarithms. */
function halfWidthWith({ ratio, freedom, trials: had }: Comparison, trials: number): number {
  if (ratio === null || freedom === null) {
    return Number.NaN;
  }
  const present = Math.log(ratio.high / ratio.low) / 2;
  return present * narrowingWith({ freedom, had, trials }, CONFIDENCE_LEVEL);
}

test("what a run of 4 trials expects of 12 is what runs of 12 have, in the mean over simulated runs", () => {
  const random = seededRandom(7);
  const logs = Array.from({ length: 60 }, () => {
    const cases = [0.02, 0.04, 0.06].map((instanceSd, index) => {
      const scenario = { ...TEST_SCENARIO, instanceSd, outliers: 0, roundsPerTrial: 6, trials: 12 };
      return { caseId: `case ${index}`, samples: simulateSamples(scenario, 1.02, random, `case ${index}`) };
    });
    const comparisonsWith = (trials: number): readonly Comparison[] => {
      const fits = cases.map(({ caseId, samples }) =>
        fitCase(
          samples.filter(({ trial }) => trial < trials),
          { ...QUESTION, caseId },
        ),
      );
      const prior = priorOfCases(fits);
      return fits.flatMap((fit) => analyseFit(fit, prior).comparisons);
    };
    const longer = comparisonsWith(12);
    return comparisonsWith(4).map((comparison, index) => {
      const { low = 1, high = 1 } = longer[index]?.ratio ?? {};
      return Math.log(halfWidthWith(comparison, 12) / (Math.log(high / low) / 2));
    });
  }).flat();
  // Within a tenth in the mean: single runs hardly know their variance.
  expect(Math.abs(mean(logs))).toBeLessThan(0.1);
});

test("an interval of as many trials is as wide as it is, and narrows with each more", () => {
  const freedom = { own: 4, prior: 6 };
  const narrowing = [3, 4, 6, 12].map((trials) =>
    narrowingWith({ freedom, had: 3, trials }, CONFIDENCE_LEVEL),
  );
  expect(narrowing[0]).toBeCloseTo(1, 10);
  expect(narrowing).toEqual(narrowing.toSorted((a, b) => b - a));
});

test("of what a run leaves open, as many are decided by a new run of three times its trials as their chances say", () => {
  const random = seededRandom(11);
  const judge = (ratio: number, trials: number): readonly Comparison[] => {
    const fits = [0.02, 0.04, 0.06].map((instanceSd, index) => {
      const caseId = `case ${index}`;
      const scenario = { ...TEST_SCENARIO, instanceSd, outliers: 0, roundsPerTrial: 6, trials };
      return fitCase(simulateSamples(scenario, ratio, random, caseId), { ...QUESTION, caseId });
    });
    const prior = priorOfCases(fits);
    return fits.flatMap((fit) => analyseFit(fit, prior).comparisons);
  };
  const foreseen = Array.from({ length: 120 }, () => {
    // Truths that are as likely here as there: what the chance takes for granted.
    const truth = Math.exp(0.3 * (random() - 0.5));
    const longer = judge(truth, 12);
    return judge(truth, 4).flatMap((comparison, index) => {
      const chance = chanceOfVerdict(comparison, 12);
      const found = longer[index]?.verdict ?? null;
      return comparison.verdict === "unclear" && chance !== null
        ? [{ chance, wasDecided: Number(isDecided(found)) }]
        : [];
    });
  }).flat();
  const misses = foreseen.map(({ chance, wasDecided }) => chance - wasDecided);
  expect(foreseen.length).toBeGreaterThan(100);
  expect(Math.abs(mean(misses))).toBeLessThan(0.1);
  const probable = foreseen.filter(({ chance }) => chance >= 2 / 3);
  expect(mean(probable.map(({ wasDecided }) => wasDecided))).toBeGreaterThan(0.6);
});

test("a change far from 0 is decided almost surely, one whose interval ends at 0 is not, and one without interval has no chance", () => {
  const ends = (centre: number) => ({ estimate: centre, low: centre / 1.05, high: centre * 1.05 });
  const comparison = { ratio: ends(1.05), trials: 10, freedom: { own: 27, prior: 6 } };
  const far = { ...comparison, ratio: ends(1.12) };
  expect(chanceOfVerdict(far, 20)).toBeGreaterThan(0.95);
  expect(chanceOfVerdict(comparison, 10)).toBeLessThan(0.75);
  expect(chanceOfVerdict({ ...comparison, ratio: null }, 20)).toBeNull();
  expect(chanceOfVerdict({ ...comparison, freedom: null }, 20)).toBeNull();
});
