import type { Sample } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { coldIn as coldInstances, TEST_SCENARIO, testRun } from "../test/samples.ts";
import { analyseFit, type CaseQuestion, controlLevel, fitCase } from "./analyse-case.ts";
import { instancesOf, varianceOfRounds } from "./cells.ts";
import { openTargets } from "./ending.ts";
import { drawBelow, seededRandom } from "./random.ts";
import { detectable, type IntervalEnds, type RatioInterval, verdictOf } from "./verdict.ts";
import type { WarmInstances } from "./warmth.ts";

const question: CaseQuestion = {
  caseId: "case",
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other"],
};
const samples = testRun(1.1, 1);
const analyseCase = (seen: readonly Sample[], changes: Partial<CaseQuestion> = {}) =>
  analyseFit(fitCase(seen, { ...question, ...changes }));

function compareOther(seen: readonly Sample[], changes: Partial<CaseQuestion> = {}) {
  const [comparison] = analyseCase(seen, changes).comparisons;
  return comparison as NonNullable<typeof comparison>;
}

function ratioOf(seen: readonly Sample[], changes: Partial<CaseQuestion> = {}): RatioInterval {
  const { ratio, why } = compareOther(seen, changes);
  if (ratio === null) {
    throw new Error(`There is no ratio: ${why}`);
  }
  return ratio;
}

const coldIn = (target: string, trials: readonly number[]): { warm: WarmInstances } => ({
  warm: coldInstances(target, trials),
});
const ALL = [0, 1, 2, 3, 4];

test("order, other cases, warm-up and other metrics do not matter", () => {
  const random = seededRandom(9);
  const more = [
    ...samples,
    ...samples.map((sample) => ({ ...sample, caseId: "another", lastByteMs: 1 })),
    ...samples.map((sample) => ({ ...sample, phase: "warmup" as const, lastByteMs: 1 })),
  ].map((sample) => ({ ...sample, firstByteMs: 3 }));
  const keyed = more.map((sample) => ({ sample, key: drawBelow(random, 2 ** 31) }));
  const shuffled = keyed.sort((a, b) => a.key - b.key).map(({ sample }) => sample);
  expect(analyseCase(shuffled)).toEqual(analyseCase(samples));
});

describe("ratios", () => {
  test("identical times have the ratio 1 with no width, and no difference is seen", () => {
    const node = samples.filter(({ target }) => target === "node");
    const same = question.targets.flatMap((target) => node.map((sample) => ({ ...sample, target })));
    const ratio = { estimate: 1, low: 1, high: 1 };
    const comparisons = [{ ratio, verdict: "same" }];
    expect(analyseCase(same)).toMatchObject({ control: { ratio }, comparisons });
  });

  test("a target that is not warm lends no scatter to the others", () => {
    const wild = testRun(1.1, 2, { ...TEST_SCENARIO, instanceSd: 0.3 })
      .filter(({ target }) => target === "other")
      .map((sample) => ({ ...sample, target: "third" }));
    const known = { targets: [...question.targets, "third"], ...coldIn("third", ALL) };
    expect(ratioOf([...samples, ...wild], known)).toEqual(ratioOf(samples));
  });

  test("what slows whole rounds changes no ratio, and no interval", () => {
    const slowed = samples.map((sample) =>
      sample.roundIndex % 7 < 3 ? { ...sample, lastByteMs: (sample.lastByteMs ?? 0) * 1.6 } : sample,
    );
    const first = ratioOf(samples);
    const other = ratioOf(slowed);
    for (const end of ["estimate", "low", "high"] as const) {
      expect(other[end]).toBeCloseTo(first[end], 10);
    }
  });
});

describe("what counts", () => {
  const withCpu = samples.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs }));
  const isFirst = ({ target, trial }: Sample) => target === "other" && trial === 0;

  test("CPU time decides nothing where the baseline and its copy differ in it; time stays decided", () => {
    const differing = samples.map((sample) => {
      const lastByteMs =
        (sample.lastByteMs ?? 0) * { node: 1, "node~copy": 1.2, other: 2 }[sample.target as "node"];
      return { ...sample, lastByteMs, cpuMs: lastByteMs };
    });
    expect(analyseCase(differing).comparisons[0]?.verdict).toBe("slower");
    const { comparisons, control } = analyseCase(differing, { metric: "cpuMs" });
    expect(control?.verdict).toBe("slower");
    expect(comparisons[0]).toMatchObject({ verdict: "withheld", why: "copy-differs" });
    expect(comparisons[0]?.ratio?.low).toBeGreaterThan(1);
  });

  test.each([
    [1.03, false],
    [1.2, true],
  ])("a copy that takes %f times as much is a broken control: %s", (factor, isBroken) => {
    const still = testRun(1.1, 1, { ...TEST_SCENARIO, instanceSd: 0.001, outliers: 0, roundsPerTrial: 100 });
    const copied = still.map((sample) => {
      const by = sample.target === "node~copy" ? factor : 1;
      return { ...sample, lastByteMs: by * (sample.lastByteMs ?? 0) };
    });
    const analysis = analyseCase(copied);
    expect(analysis.control?.ratio?.low).toBeGreaterThan(1);
    expect(analysis.isControlBroken).toBe(isBroken);
  });

  test("all controls of a run together are wrong as seldom as one", () => {
    const wrong = (controls: number) => controls * (1 - controlLevel(controls));
    expect([wrong(1), wrong(14)]).toEqual([expect.closeTo(0.01, 12), expect.closeTo(0.01, 12)]);
  });

  test("a clock of 10 ms ticks makes single requests 0 or 10 ms, and their mean is right all the same", () => {
    const msOf: Readonly<Record<string, number>> = { node: 4, "node~copy": 4, other: 5 };
    const ticked = samples.map((sample) => {
      const ms = msOf[sample.target] as number;
      const begin = 7 * sample.trial;
      const ticksUntil = (round: number) => Math.floor((begin + ms * round) / 10);
      const cpuMs = 10 * (ticksUntil(sample.roundIndex + 1) - ticksUntil(sample.roundIndex));
      return { ...sample, cpuMs };
    });
    expect(new Set(ticked.map(({ cpuMs }) => cpuMs))).toEqual(new Set([0, 10]));
    const ratio = ratioOf(ticked, { metric: "cpuMs" });
    expect(Math.abs(ratio.estimate / 1.25 - 1)).toBeLessThan(0.05);
    expect(ratio.low).toBeLessThan(1.25);
    expect(ratio.high).toBeGreaterThan(1.25);
  });

  test("an account that says 0 of a whole trial is none: two such targets are not the same", () => {
    const none = samples.map((sample) => ({ ...sample, cpuMs: 0 }));
    const { comparisons, control } = analyseCase(none, { metric: "cpuMs" });
    expect(comparisons[0]).toMatchObject({ verdict: "no result", ratio: null, why: "not-measured" });
    expect(control?.ratio).toBeNull();
  });

  test("a request whose CPU time nobody accounts for is no error, and more time is no remedy", () => {
    const unaccounted = withCpu.map((sample) =>
      sample.target === "other" ? { ...sample, cpuMs: null } : sample,
    );
    const { comparisons, summaries } = analyseCase(unaccounted, { metric: "cpuMs" });
    expect(summaries[2]).toMatchObject({ target: "other", exchanges: 0, errors: 0 });
    expect(comparisons[0]).toMatchObject({ verdict: "no result", why: "not-measured" });
  });

  test("a round counts only if both sides have it without error, and no time of a failed one is used", () => {
    const error = { kind: "status", detail: "500" } as const;
    const failed = samples.map((sample) =>
      isFirst(sample) && sample.roundIndex < 3 ? { ...sample, error, lastByteMs: 1e9 } : sample,
    );
    const { comparisons, control, summaries } = analyseCase(failed);
    expect(comparisons[0]).toMatchObject({ trials: 5, rounds: 97 });
    expect(control).toMatchObject({ trials: 5, rounds: 100 });
    expect(summaries[2]).toMatchObject({ target: "other", exchanges: 97, errors: 3 });
  });

  test("a target's requests and trials are those in which it was warm", () => {
    const { summaries } = analyseCase(samples, coldIn("other", [2]));
    const counted = summaries.map(({ target, exchanges, trials }) => `${target} ${exchanges} ${trials}`);
    expect(counted).toEqual(["node 100 5", "node~copy 100 5", "other 80 4"]);
  });

  test.each([
    ["one trial", samples.filter(({ trial }) => trial === 0)],
    ["two rounds a trial", samples.filter(({ roundIndex }) => roundIndex < 2)],
  ])("with %s there is no ratio, since trials are too few", (_, few) => {
    expect(compareOther(few)).toMatchObject({ ratio: null, verdict: "unclear", why: "few-trials" });
  });

  test.each([
    ["the target", samples.filter(({ target }) => target !== "other")],
    ["the baseline and its copy", samples.filter(({ target }) => target === "other")],
    ["anything", []],
  ])("without a measured answer of %s there is no result, and more time is no remedy", (_, few) => {
    expect(compareOther(few)).toMatchObject({ verdict: "no result", why: "no-answer", byTrial: [] });
  });

  test.each([
    ["other", ["other"]],
    ["other", ["node", "node~copy"]],
  ] as const)("%s has no result where %j were dropped, whatever they answered before", (_, names) => {
    const dropped = new Set<string>(names);
    const expected = { ratio: null, verdict: "no result", why: "dropped" };
    expect(compareOther(samples, { dropped })).toMatchObject(expected);
  });

  test("a copy that was dropped takes no verdict away", () => {
    const { comparisons, control } = analyseCase(samples, { dropped: new Set(["node~copy"]) });
    expect(comparisons[0]?.ratio).not.toBeNull();
    expect(control).toMatchObject({ ratio: null, verdict: "no result" });
  });
});

describe("a time and its ratio agree", () => {
  const scattered = testRun(1.1, 8, { ...TEST_SCENARIO, instanceSd: 0.2 });
  const lacking = scattered.filter((sample) => sample.trial > 0 || sample.target !== "node");

  test.each([
    ["where it was not warm in two", scattered, coldIn("other", [0, 1])],
    ["where it was warm in one alone", scattered, coldIn("other", [0, 1, 2, 3])],
    ["where the baseline lacks a trial", lacking, {}],
  ])("%s", (_, given, changes) => {
    const { summaries, comparisons } = analyseCase(given, changes);
    const [node, , other] = summaries.map(({ medianMs }) => medianMs as number) as [number, number, number];
    expect(other / node).toBeCloseTo(comparisons[0]?.ratio?.estimate as number, 10);
  });
});

describe("targets that are one process for the whole run", () => {
  const still = testRun(1.1, 1, { ...TEST_SCENARIO, instanceSd: 0 });
  const width = ({ low, high }: RatioInterval) => Math.log(high / low) / 2;
  const lasting = (...targets: readonly string[]) => ({ lasting: new Set(targets) });

  test("are no surer than two processes are alike, however many trials they have", () => {
    const fresh = width(ratioOf(still));
    expect(fresh).toBeLessThan(0.03);
    // Two sides of 1 % each.
    const expected = Math.hypot(fresh, 2.581 * 0.01 * Math.SQRT2);
    expect(width(ratioOf(still, lasting(...question.targets)))).toBeCloseTo(expected, 4);
    expect(compareOther(still, lasting(...question.targets)).verdict).toBe("slower");
  });

  const wild = testRun(1.1, 2, { ...TEST_SCENARIO, instanceSd: 0.1 });
  const isLasting = ({ target }: Sample) => target === "other";
  const besideStill = [...still.filter((sample) => !isLasting(sample)), ...wild.filter(isLasting)];

  test.each([
    ["much", wild, 1.5, 5],
    ["nothing, whatever their own is", besideStill, 1, 1.1],
  ])("take the scatter of the fresh ones beside them, which is %s", (_, seen, least, most) => {
    const wider = width(ratioOf(seen, lasting("other"))) / width(ratioOf(seen));
    expect(wider).toBeGreaterThanOrEqual(least);
    expect(wider).toBeLessThan(most);
  });
});

describe("with another target as the baseline", () => {
  const lasting = { lasting: new Set(["other"]) };
  const usual = compareOther(samples, lasting);
  const { comparisons, control } = analyseFit(fitCase(samples, { ...question, ...lasting }), undefined, {
    baseline: "other",
  });
  const [turned] = comparisons;

  test("the usual one's ratio is turned round, and judged anew", () => {
    expect(usual.verdict).toBe("slower");
    expect(turned).toMatchObject({
      target: "node",
      baseline: "other",
      verdict: "faster",
      trials: usual.trials,
    });
    expect(turned?.ratio?.estimate).toBeCloseTo(1 / (usual.ratio?.estimate ?? 0), 12);
    expect(turned?.ratio?.low).toBeCloseTo(1 / (usual.ratio?.high ?? 0), 12);
    expect(turned?.byTrial.map((ratio) => 1 / ratio)).toEqual(
      usual.byTrial.map((ratio) => expect.closeTo(ratio, 12)),
    );
  });

  test("there is no control", () => {
    expect(control).toBeNull();
  });

  test("a target that gave no answer is said to be the one", () => {
    const none = samples.filter(({ target }) => target !== "other");
    const [first] = analyseFit(fitCase(none, question), undefined, { baseline: "other" }).comparisons;
    expect(first).toMatchObject({ target: "node", verdict: "no result", why: "no-answer" });
  });
});

describe("a case needs no more trials", () => {
  const still = { ...TEST_SCENARIO, instanceSd: 0.001, outliers: 0, roundsPerTrial: 100 };
  const scatters = (instanceSd: number) => ({ ...TEST_SCENARIO, instanceSd });
  const isDone = (ratio: number, scenario: typeof TEST_SCENARIO, precision?: number, changes = {}) =>
    openTargets([fitCase(testRun(ratio, 1, scenario), { ...question, ...changes })], precision)[0]?.length ===
    0;

  test.each([
    ["once it is decided, either way", true, isDone(1.5, TEST_SCENARIO)],
    ["once it is the same", true, isDone(1, still)],
    ["not while it is unclear", false, isDone(1.04, scatters(0.04))],
    ["at the asked precision, wherever intervals lie", true, isDone(1.03, still, 0.02)],
    ["not with wider ones, though they decide", false, isDone(2, scatters(0.1), 0.02)],
    ["not where a target is not warm", false, isDone(1.5, still, 0.02, coldIn("other", ALL))],
    ["not with one trial", false, isDone(1, { ...still, trials: 1 }, 0.02)],
  ])("%s", (_, expected, found) => expect(found).toBe(expected));
});

test.each([
  [0.5, 0.9, 0.6, 0.8, "faster"],
  [1.01, 1.04, 1.02, 1.03, "same"],
  [0.96, 1.1, 0.99, 1.07, "unclear"],
  [0.9, 1.001, 0.93, 0.98, "unclear"],
  // Sameness is judged by the narrower interval.
  [0.94, 1.06, 0.96, 1.04, "same"],
  // A difference that was found stays one.
  [1.01, 1.06, 1.02, 1.049, "slower"],
] as const)(
  "an interval from %f to %f, at 90 % from %f to %f, is %s",
  (low, high, innerLow, innerHigh, verdict) => {
    expect(verdictOf({ low, high }, { low: innerLow, high: innerHigh })).toBe(verdict);
  },
);

test("sameness is judged by the 90 % interval of the same fit, and differences by the 99 % one", () => {
  const { ratio, equivalence } = compareOther(testRun(1, 3, { ...TEST_SCENARIO, trials: 5 }));
  const halfWidth = (ends: IntervalEnds) => Math.log(ends.high / ends.low) / 2;
  const narrower = halfWidth(equivalence as IntervalEnds) / halfWidth(ratio as IntervalEnds);
  // Between those of few degrees of freedom and of a normal distribution: 1.645 / 2.576.
  expect(narrower).toBeGreaterThan(0.4);
  expect(narrower).toBeLessThan(0.64);
});

test("what would have been found is three quarters of a half-width further than the half-width", () => {
  // A half-width of 8 % on the scale of logarithms.
  expect(detectable({ low: 0.87, high: 1.02 })).toBeCloseTo(Math.exp(1.75 * 0.0795) - 1, 3);
});

test.each([
  [40, 0.03, 0],
  [10, 0.03, 0.1],
])(
  "what %i rounds leave uncertain is known apart from how instances differ",
  (roundsPerTrial, sd, between) => {
    const still = { autocorrelation: 0, drift: 0, outliers: 0, trialSd: 0.2, trials: 400 };
    const scenario = { roundsPerTrial, exchangeSd: sd, instanceSd: between };
    const many = testRun(1.1, 3, { ...TEST_SCENARIO, ...still, ...scenario });
    const found = varianceOfRounds(instancesOf(many, "case", "lastByteMs"), question.targets) ?? 0;
    // Of many normal values the middle half's mean varies 1.19 times as much as that of all.
    const expected = (1.19 * sd ** 2) / roundsPerTrial;
    expect(found / expected).toBeGreaterThan(0.75);
    expect(found / expected).toBeLessThan(1.25);
  },
);
