import type { Sample } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { TEST_SCENARIO, testRun, testSample } from "../test/samples.ts";
import { analyseCase, type CaseQuestion } from "./analyse-case.ts";
import type { Comparison } from "./analysis.ts";
import { drawBelow, seededRandom } from "./random.ts";

const question: CaseQuestion = {
  caseId: "case",
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
};
const samples = testRun(1.1, 1);

function compareOther(of: readonly Sample[], changes: Partial<CaseQuestion> = {}): Comparison {
  const [comparison] = analyseCase(of, { ...question, ...changes }).comparisons;
  if (comparison === undefined) throw new Error("There must be one comparison.");
  return comparison;
}

function ratioOf(comparison: Comparison) {
  if (comparison.ratio === null) throw new Error(comparison.reason);
  return comparison.ratio;
}

describe("the same whatever does not matter", () => {
  test("the same samples and seed give the same analysis", () => {
    expect(analyseCase(samples, question)).toEqual(analyseCase(samples, question));
  });

  test("the order of the samples does not matter", () => {
    const random = seededRandom(9);
    const keyed = samples.map((sample) => ({ sample, key: drawBelow(random, 2 ** 31) }));
    const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ sample }) => sample);
    expect(analyseCase(shuffled, question)).toEqual(analyseCase(samples, question));
  });

  test("other cases, warm-up and the other metric do not matter", () => {
    const more = [
      ...samples,
      ...samples.map((sample) => ({ ...sample, caseId: "another", lastByteMs: 1 })),
      ...samples.map((sample) => ({ ...sample, phase: "warmup" as const, lastByteMs: 1 })),
    ].map((sample) => ({ ...sample, firstByteMs: 3 }));
    expect(analyseCase(more, question)).toEqual(analyseCase(samples, question));
  });
});

describe("ratios", () => {
  test("identical times have the ratio 1 with no width, and no difference is seen", () => {
    const node = samples.filter(({ target }) => target === "node");
    const same = question.targets.flatMap((target) => node.map((sample) => ({ ...sample, target })));
    const analysis = analyseCase(same, question);
    expect(analysis).toMatchObject({ noiseFloor: 0, control: { ratio: { estimate: 1, low: 1, high: 1 } } });
    expect(analysis.comparisons[0]).toMatchObject({
      ratio: { estimate: 1, low: 1, high: 1 },
      verdict: "same",
    });
  });

  test("the scatter of other targets makes an interval narrower or wider, and moves no estimate", () => {
    const calm = testRun(1.1, 1, { ...TEST_SCENARIO, instanceSd: 0, exchangeSd: 0.001 });
    const unsteady = testRun(1.1, 1, { ...TEST_SCENARIO, instanceSd: 0.1 });
    const third = (of: readonly Sample[]) =>
      of.filter(({ target }) => target === "other").map((sample) => ({ ...sample, target: "third" }));
    const withThird = (of: readonly Sample[]) =>
      ratioOf(compareOther([...samples, ...third(of)], { targets: [...question.targets, "third"] }));
    const width = ({ low, high }: { low: number; high: number }) => high / low;
    const alone = ratioOf(compareOther(samples));
    expect(width(withThird(unsteady))).toBeGreaterThan(width(alone));
    expect(width(withThird(calm))).toBeLessThan(width(alone));
    expect(withThird(unsteady).estimate).toBeCloseTo(alone.estimate, 1);
  });

  test("a target that is not warm lends no scatter to the others", () => {
    const wild = testRun(1.1, 2, { ...TEST_SCENARIO, instanceSd: 0.3 })
      .filter(({ target }) => target === "other")
      .map((sample) => ({ ...sample, target: "third" }));
    const targets = [...question.targets, "third"];
    const trials = [...new Set(wild.map(({ trial }) => trial))];
    const cold = new Map(trials.map((trial) => [trial, { warm: false, reason: "became faster" }] as const));
    const known = { targets, warm: new Map([["third", cold]]) };
    expect(ratioOf(compareOther([...samples, ...wild], known))).toEqual(ratioOf(compareOther(samples)));
  });

  test("a / b is the inverse of b / a", () => {
    const [there] = analyseCase(samples, { ...question, copy: null, targets: ["node", "other"] }).comparisons;
    const [back] = analyseCase(samples, {
      ...question,
      baseline: "other",
      copy: null,
      targets: ["node", "other"],
    }).comparisons;
    const one = ratioOf(there as Comparison);
    const other = ratioOf(back as Comparison);
    expect(other.estimate).toBeCloseTo(1 / one.estimate, 10);
    expect(other.low).toBeCloseTo(1 / one.high, 10);
    expect(other.high).toBeCloseTo(1 / one.low, 10);
  });

  test("the unit of time does not matter", () => {
    const inSeconds = samples.map((sample) => ({ ...sample, lastByteMs: (sample.lastByteMs ?? 0) / 1000 }));
    const one = ratioOf(compareOther(samples));
    const other = ratioOf(compareOther(inSeconds));
    expect(other.estimate).toBeCloseTo(one.estimate, 10);
    expect(other.low).toBeCloseTo(one.low, 10);
    expect(other.high).toBeCloseTo(one.high, 10);
  });

  test("a constant factor moves a ratio and its interval by just that factor", () => {
    const slower = samples.map((sample) =>
      sample.target === "other" ? { ...sample, lastByteMs: (sample.lastByteMs ?? 0) * 1.5 } : sample,
    );
    const one = ratioOf(compareOther(samples));
    const other = ratioOf(compareOther(slower));
    expect(other.estimate / one.estimate).toBeCloseTo(1.5, 10);
    expect(other.low / one.low).toBeCloseTo(1.5, 10);
    expect(other.high / one.high).toBeCloseTo(1.5, 10);
  });

  test("what slows whole rounds changes no ratio, and no interval", () => {
    const slowed = samples.map((sample) =>
      sample.roundIndex % 7 < 3 ? { ...sample, lastByteMs: (sample.lastByteMs ?? 0) * 1.6 } : sample,
    );
    const one = ratioOf(compareOther(samples));
    const other = ratioOf(compareOther(slowed));
    expect(other.estimate).toBeCloseTo(one.estimate, 10);
    expect(other.low).toBeCloseTo(one.low, 10);
    expect(other.high).toBeCloseTo(one.high, 10);
  });

  test("each trial's ratio is told in order, against the middle of both copies", () => {
    const { byTrial, ratio } = compareOther(samples);
    expect(byTrial).toHaveLength(5);
    const middle = byTrial.reduce((sum, one) => sum + Math.log(one), 0) / 5;
    expect(Math.exp(middle)).toBeCloseTo(ratio?.estimate as number, 10);
  });
});

describe("what counts", () => {
  const withCpu = samples.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs }));

  test("an account that says 0 of one request makes no number of it, and spoils none", () => {
    const short = withCpu.filter(({ roundIndex }) => roundIndex < 6);
    const late = short.map((sample) =>
      sample.target === "other" && sample.trial === 0 && sample.roundIndex === 0
        ? { ...sample, cpuMs: 0 }
        : sample,
    );
    const { comparisons, control, summaries } = analyseCase(late, { ...question, metric: "cpuMs" });
    for (const one of [...comparisons, control]) {
      expect(Object.values(one?.ratio ?? {})).toHaveLength(4);
      expect(Object.values(one?.ratio ?? {}).every(Number.isFinite)).toBe(true);
    }
    expect(summaries.map(({ median: middle }) => Number.isFinite(middle))).toEqual([true, true, true]);
  });

  test("a request whose CPU time nobody accounts for is no error, and more time is no remedy", () => {
    const told = withCpu.map((sample) => (sample.target === "other" ? { ...sample, cpuMs: null } : sample));
    const { comparisons, summaries } = analyseCase(told, { ...question, metric: "cpuMs" });
    expect(summaries[2]).toMatchObject({ target: "other", exchanges: 0, errors: 0 });
    expect(comparisons[0]).toMatchObject({
      verdict: "inconclusive",
      reason: "Nobody accounts for the CPU time of other.",
    });
  });

  test("a round counts only if both sides have it without error", () => {
    const failed = samples.map((sample) =>
      sample.target === "other" && sample.trial === 0 && sample.roundIndex < 3
        ? { ...sample, error: { kind: "status", detail: "500" } as const }
        : sample,
    );
    const { comparisons, control, summaries } = analyseCase(failed, question);
    expect(comparisons[0]).toMatchObject({ trials: 5, rounds: 97 });
    expect(control).toMatchObject({ trials: 5, rounds: 100 });
    expect(summaries[2]).toMatchObject({ target: "other", exchanges: 97, errors: 3 });
  });

  test("a target's requests and trials are those in which it was warm", () => {
    const fell = new Map([[2, { warm: false, reason: "became faster" }]] as const);
    const { summaries } = analyseCase(samples, { ...question, warm: new Map([["other", fell]]) });
    expect(summaries.map(({ target, exchanges, trials }) => [target, exchanges, trials])).toEqual([
      ["node", 100, 5],
      ["node~copy", 100, 5],
      ["other", 80, 4],
    ]);
  });

  test("the time of a failed exchange is not used", () => {
    const odd = testSample({
      target: "other",
      roundIndex: 99,
      lastByteMs: 1e9,
      error: { kind: "timeout", detail: "" },
    });
    expect(analyseCase([...samples, odd], question).summaries[2]?.maximum).toBeLessThan(1000);
  });

  test.each([
    ["one trial", samples.filter(({ trial }) => trial === 0), /Only one trial/],
    ["two rounds a trial", samples.filter(({ roundIndex }) => roundIndex < 2), /No trial/],
    ["no exchange of the target", samples.filter(({ target }) => target !== "other"), /No trial/],
    ["nothing", [], /No trial/],
  ])("with %s there is no ratio, and the reason says what to do", (_, few, reason) => {
    const comparison = compareOther(few);
    expect(comparison).toMatchObject({ ratio: null, verdict: "inconclusive" });
    expect(comparison.reason).toMatch(reason);
    expect(comparison.reason).toMatch(/--time/);
  });

  test("a target without exchanges has a summary that says so", () => {
    const { summaries } = analyseCase([], question);
    expect(summaries).toHaveLength(3);
    expect(summaries[0]).toMatchObject({ exchanges: 0, errors: 0, median: null, p95: null });
  });
});

describe("the control", () => {
  test("its interval's far end is the noise floor", () => {
    const { control, noiseFloor } = analyseCase(samples, question);
    const { low, high } = ratioOf(control as Comparison);
    expect(noiseFloor).toBeCloseTo(Math.max(1 / low - 1, high - 1), 12);
    expect(control?.target).toBe("node~copy");
  });

  test("a large difference is found with it: the baseline is the mean of both copies", () => {
    expect(compareOther(testRun(1.1, 2))).toMatchObject({ verdict: "slower" });
    expect(compareOther(testRun(0.9, 3))).toMatchObject({ verdict: "faster" });
  });

  test("without one the interval alone decides", () => {
    const analysis = analyseCase(samples, { ...question, copy: null, targets: ["node", "other"] });
    expect(analysis).toMatchObject({ control: null, noiseFloor: null });
    expect(analysis.comparisons[0]).toMatchObject({ verdict: "slower" });
  });

  test("an A/A copy can be what is compared, with or without another A/A copy as the control", () => {
    const pair = analyseCase(samples, { ...question, copy: null, targets: ["node", "node~copy"] });
    expect(pair.comparisons.map(({ target }) => target)).toEqual(["node~copy"]);
    const three = analyseCase(testRun(1, 4), {
      ...question,
      copy: "other",
      targets: ["node", "node~copy", "other"],
    });
    expect(three.control?.target).toBe("other");
    expect(three.comparisons.map(({ target }) => target)).toEqual(["node~copy"]);
  });
});

test("a long run is analysed with bounded work", () => {
  const long = testRun(1.2, 5, { ...TEST_SCENARIO, trials: 10, roundsPerTrial: 3000 });
  expect(compareOther(long)).toMatchObject({ verdict: "slower", trials: 10, rounds: 30_000 });
});
