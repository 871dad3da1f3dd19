import { expect, test } from "vitest";
import { simulateSamples, TEST_SCENARIO } from "../test/samples.ts";
import { type CaseFit, fitCase } from "./analyse-case.ts";
import { answeredByCpuTime, openTargets } from "./ending.ts";
import { seededRandom } from "./random.ts";

const QUESTION = {
  caseId: "case",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
} as const;

/** A case of four trials whose instances scatter by so much, and whose target takes `ratio` times as long. */
function fitOf(metric: "lastByteMs" | "cpuMs", ratio: number, instanceSd: number): CaseFit {
  const scenario = { ...TEST_SCENARIO, instanceSd, drift: 0, outliers: 0, trials: 4 };
  const samples = simulateSamples(scenario, ratio, seededRandom(3));
  return fitCase(
    samples.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs })),
    { ...QUESTION, metric },
  );
}

/** A case of four trials, by CPU time, whose copy takes a fifth more of it than the baseline. */
function fitOfBrokenControl(): CaseFit {
  const scenario = { ...TEST_SCENARIO, instanceSd: 0.01, drift: 0, outliers: 0, trials: 4 };
  const samples = simulateSamples(scenario, 2, seededRandom(3)).map((sample) => {
    const cpuMs = sample.lastByteMs ?? 0;
    return { ...sample, cpuMs: sample.target === "node~copy" ? 1.2 * cpuMs : cpuMs };
  });
  return fitCase(samples, { ...QUESTION, metric: "cpuMs" });
}

const OPEN = fitOf("lastByteMs", 1.05, 0.2);

test.each([
  ["CPU time is decided, and hardly any trials are left", OPEN, fitOf("cpuMs", 1.3, 0.01), 2, ["other"]],
  ["CPU time is the same", OPEN, fitOf("cpuMs", 1, 0.001), 2, ["other"]],
  ["as many trials are left as decide the time, too", OPEN, fitOf("cpuMs", 1.3, 0.01), 2000, []],
  ["CPU time is open, too", OPEN, fitOf("cpuMs", 1.02, 0.2), 2, []],
  ["CPU time is not known", OPEN, null, 2, []],
  ["the baseline and its copy differ in CPU time", OPEN, fitOfBrokenControl(), 2, []],
  ["time is decided", fitOf("lastByteMs", 1.5, 0.01), fitOf("cpuMs", 1.3, 0.01), 2, []],
] as const)("which targets CPU time answers, where %s", (_, time, cpuTime, trialsLeft, answered) => {
  expect(answeredByCpuTime([{ time, cpuTime, trialsLeft }])).toEqual([answered]);
});

test("a case that CPU time answers is open by its time alone", () => {
  expect(openTargets([OPEN])).toEqual([["other"]]);
});
