// What a longer run is said to buy, held against a run that did it: ten trials of seven cases.
import {
  analyseFit,
  CONFIDENCE_LEVEL,
  type Comparison,
  fitCase,
  mean,
  narrowingWith,
  priorOfCases,
} from "@evenbench/stats";
import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import kept from "../test-data/ten-trials.json" with { type: "json" };

const ROUNDS = 3;

/** The comparisons of a kept run, had it ended after so many trials. Its copies are not kept, so it has no control. */
function comparisonsWith(trials: number): readonly Comparison[] {
  const fits = [...Map.groupBy(kept.rows, ({ caseId }) => caseId)].map(([caseId, ofCase]) => {
    const samples = ofCase.flatMap(({ target, trialMs }) =>
      trialMs
        .slice(0, trials)
        .flatMap((ms, trial) =>
          Array.from({ length: ROUNDS }, (_, roundIndex) =>
            testSample({ caseId, target, trial, roundIndex, lastByteMs: ms }),
          ),
        ),
    );
    const baseline = ofCase[0]?.baseline ?? "";
    const targets = ofCase.map(({ target }) => target);
    return fitCase(samples, { caseId, metric: "lastByteMs", baseline, copy: null, targets });
  });
  const prior = priorOfCases(fits);
  return fits.flatMap((fit) => analyseFit(fit, prior).comparisons);
}

/** How wide a comparison's interval would be with so many trials, to either side on the scale of logarithms. */
function halfWidthWith({ ratio, freedom, trials: had }: Comparison, trials: number): number {
  if (ratio === null || freedom === null) {
    return Number.NaN;
  }
  const present = Math.log(ratio.high / ratio.low) / 2;
  return present * narrowingWith({ freedom, had, trials }, CONFIDENCE_LEVEL);
}

test.each([3, 5])("what its first %i trials expect of ten is what its ten trials have", (trials) => {
  const found = comparisonsWith(10);
  const expected = comparisonsWith(trials);
  expect(found.length).toBe(14);
  const logs = expected.map((comparison, index) => {
    const { low = Number.NaN, high = Number.NaN } = found[index]?.ratio ?? {};
    return Math.log(halfWidthWith(comparison, 10) / (Math.log(high / low) / 2));
  });
  // In the mean over comparisons to within a fifth: one that knows its variance from three trials can be twice as wide.
  expect(Math.abs(mean(logs))).toBeLessThan(0.2);
  for (const log of logs) {
    expect(Math.abs(log)).toBeLessThan(Math.log(2.5));
  }
});
