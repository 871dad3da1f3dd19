import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { bestMeasureMs, fitMeasuredCase } from "./case-fit.ts";
import type { MeasuredCase } from "./measured-case.ts";

const names = ["a", "a~copy", "b"];
const targets = names.map((name) => ({ name, copyOf: name === "a~copy" ? "a" : null }));
const took = { startMs: 1000, warmUpMs: 7000, restMs: 2000, overMs: 0 };

/** Four trials of twelve rounds whose instances differ by 1 % and whose rounds by 10 %. */
const samples = [0, 1, 2, 3].flatMap((trial) =>
  names.flatMap((target, index) =>
    Array.from({ length: 12 }, (_, roundIndex) => {
      const instance = 1 + 0.01 * ((trial + 2 * index) % 3);
      const round = 1 + 0.1 * ((roundIndex * (3 + index + trial)) % 5);
      return testSample({ target, trial, roundIndex, lastByteMs: 10 * instance * round });
    }),
  ),
);

function measuredCase(more: Partial<MeasuredCase> = {}): MeasuredCase {
  return {
    manifest: { id: "case" },
    plan: { targets: [], roundsPerTrial: null },
    baseline: "a",
    targets,
    samples,
    warmUps: [],
    usage: [],
    ...more,
  };
}

test("a case without samples has no fit", () => {
  expect(fitMeasuredCase(measuredCase({ samples: [] }))).toBeNull();
});

test.each([
  ["it computes", {}, undefined, true],
  ["preflight found a cache", { cached: "A cache." }, undefined, false],
  ["a cache began to answer", {}, "hit", false],
  ["a cache has a part of it", { partlyCached: true }, "hit", true],
] as const)("a case is compared or not where %s", (_, known, cacheSaid, compares) => {
  const said = samples.map((sample) => ({ ...sample, cacheSaid }));
  const fit = fitMeasuredCase(measuredCase({ manifest: { id: "case", ...known }, samples: said }));
  expect(fit?.question.compares).toBe(compares);
});

test("the next trial measures for one to six seconds, as long as the variances of rounds and instances are worth", () => {
  const measured = measuredCase();
  const fit = fitMeasuredCase(measured);
  const bestMs = fit && bestMeasureMs(measured, fit, took);
  expect(bestMs).toBeGreaterThanOrEqual(1000);
  expect(bestMs).toBeLessThanOrEqual(6000);
});

test.each([
  ["the user fixed the number of rounds", { plan: { targets: [], roundsPerTrial: 12 } }],
  ["the case says how many an instance is worth", { manifest: { id: "case", rounds: 30 } }],
  ["one trial tells no variance", { samples: samples.filter(({ trial }) => trial === 0) }],
])("how long the next trial measures is not chosen where %s", (_, more) => {
  const measured = measuredCase(more);
  const fit = fitMeasuredCase(measured);
  expect(fit).not.toBeNull();
  expect(fit && bestMeasureMs(measured, fit, took)).toBeNull();
});
