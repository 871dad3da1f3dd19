import type { ColdStart, InstanceUsage, Sample, Timeline } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import type { Question } from "./compare.ts";
import { type CaseCosts, type CostsMeasured, compareCosts, fitCosts } from "./costs.ts";
import { seededRandom } from "./random.ts";

const BOTH: Question = { targets: ["node", "other"], baseline: "node", copy: null };

/** The same of a case alone. */
function costsOf(measured: Partial<CostsMeasured>, question = BOTH): CaseCosts {
  const all = { usage: [], samples: [], coldStarts: [], timelines: [], ...measured };
  return compareCosts([fitCosts(all, () => question)])[0] as CaseCosts;
}

const cold = (...trials: readonly number[]) =>
  new Map([["other", new Map(trials.map((trial) => [trial, { code: "still-falling" } as const]))]]);

describe("CPU time for one exchange", () => {
  const usage = (target: string, trial: number, msPerExchange: number): InstanceUsage => ({
    caseId: "case",
    target,
    trial,
    exchanges: 50,
    cpuMs: msPerExchange * 50,
    userMs: msPerExchange * 37.5,
    systemMs: msPerExchange * 12.5,
    minorFaults: null,
    residentBytes: 100 + trial,
    peakResidentBytes: 200 + trial,
  });
  const slowed = [1, 1.5, 0.8, 2, 1.1].flatMap((slow, trial) => [
    usage("node", trial, 10 * slow),
    usage("other", trial, 12 * slow),
  ]);

  test("is compared within trials, where a slow machine slows both", () => {
    const [node, other] = costsOf({ usage: slowed }).cpu;
    expect(node).toMatchObject({ target: "node", compared: null, systemShare: 0.25, residentBytes: 104 });
    expect(other?.msPerExchange).toBeCloseTo((node?.msPerExchange ?? 0) * 1.2, 9);
    for (const end of ["estimate", "low", "high"] as const) {
      expect(other?.compared?.ratio?.[end]).toBeCloseTo(1.2, 6);
    }
  });

  test("is that of warm instances", () => {
    const odd = slowed.map((sample) =>
      sample.target === "other" && sample.trial === 0 ? { ...sample, cpuMs: 9000 } : sample,
    );
    expect(costsOf({ usage: odd }, { ...BOTH, warm: cold(0) }).cpu[1]?.compared?.ratio?.estimate).toBeCloseTo(
      1.2,
      6,
    );
  });

  test("without an account, or with one trial, has nothing to compare", () => {
    expect(costsOf({}).cpu).toEqual([]);
    const rows = [usage("node", 0, 10), usage("other", 0, 12), { ...usage("other", 1, 12), exchanges: 0 }];
    expect(costsOf({ usage: rows }).cpu[1]?.compared).toBeNull();
  });
});

describe("compute time", () => {
  /** Five trials of a case that works for `computeMs` on top of a transfer time. */
  const run = (target: string, transferMs: number, computeMs: number): Sample[] =>
    [0, 1, 2, 3, 4].flatMap((trial) => {
      const way = transferMs * (1 + 0.02 * trial);
      return Array.from({ length: 8 }, (_, roundIndex) => {
        const at = { target, trial, roundIndex };
        // The first rounds are warm-up of what only the payload uses.
        const transfer = way + (roundIndex < 3 ? 50 : 0);
        return [
          testSample({ ...at, lastByteMs: way + computeMs * (1 + 0.03 * trial) }),
          testSample({ ...at, phase: "transfer", lastByteMs: transfer }),
        ];
      }).flat();
    });
  const computed = (...samples: readonly Sample[]) => costsOf({ samples }).computeTimes;

  test("has what both spend on the way taken off before its ratio is made", () => {
    const [node, other] = computed(...run("node", 10, 10), ...run("other", 10, 20));
    expect(node).toEqual({ target: "node", compared: null, computeMs: expect.closeTo(10 * 1.06, 9) });
    // As times the ratio would be 1.5.
    expect(other?.compared?.ratio?.estimate).toBeCloseTo(2, 9);
  });

  /** The same, with other times in the first trial. */
  const withFirst = (samples: readonly Sample[], first: readonly Sample[]) => [
    ...first.filter(({ trial }) => trial === 0),
    ...samples.filter(({ trial }) => trial > 0),
  ];
  const base = run("node", 10, 5);
  const usual = run("other", 10, 10);
  const vanished = run("other", 10, -0.1);
  const vanishedBase = run("node", 10, -0.1);

  test.each([
    ["vanishes in the noise has no ratio", [...base, ...vanished], [], null, -0.1 * 1.06],
    ["does so in one trial has no ratio", [...base, ...withFirst(usual, vanished)], [], null, 8.58],
    ["is that of a baseline that does so", [...withFirst(base, vanishedBase), ...usual], [], null, 10.6],
    [
      "was not warm in one trial is that of the others",
      [...base, ...withFirst(usual, vanished)],
      [0],
      "slower",
      10.75,
    ],
    ["was never warm is shown all the same", [...base, ...usual], [0, 1, 2, 3, 4], "not warm", 10.6],
  ] as const)("that %s, and raw figures stay", (_, samples, coldTrials, verdict, computeMs) => {
    const warm = cold(...coldTrials);
    const [, other] = costsOf({ samples }, { ...BOTH, warm }).computeTimes;
    expect(other?.compared?.verdict ?? null).toBe(verdict);
    expect(other?.computeMs).toBeCloseTo(computeMs, 9);
  });

  test("is not known without a transfer time that was answered", () => {
    const samples = run("node", 10, 5);
    const error = { kind: "status", detail: "404" } as const;
    expect(computed(...samples.filter(({ phase }) => phase === "measure"))).toEqual([]);
    const failed = samples.map((sample) => (sample.phase === "transfer" ? { ...sample, error } : sample));
    expect(computed(...failed)).toEqual([]);
  });
});

describe("cold starts", () => {
  /** Repetitions on a machine that is slower each time. */
  const slow = [1, 1.1, 1.2, 1.3, 1.4];
  const starts = (target: string, readyMs: number): ColdStart[] =>
    slow.map((factor, repetition) => ({ caseId: "case", target, repetition, readyMs: readyMs * factor }));
  const samples = (target: string, firstMs: number) =>
    slow.flatMap((factor, trial) =>
      [firstMs * factor, 1].map((lastByteMs, roundIndex) =>
        testSample({ target, trial, roundIndex, phase: "cold", lastByteMs }),
      ),
    );

  test("have medians of each part, and the ratio of start and first exchange within repetitions", () => {
    const coldStarts = [...starts("node", 100), ...starts("other", 200)];
    const both = [...samples("node", 20), ...samples("other", 40)];
    const [node, other] = costsOf({ coldStarts, samples: both }).cold;
    const levelMs = 120 * (1 * 1.1 * 1.2 * 1.3 * 1.4) ** (1 / 5);
    const parts = { readyMs: 120, firstMs: 24, secondMs: 1, firstAnswerMs: expect.closeTo(levelMs, 9) };
    expect(node).toMatchObject({ target: "node", repetitions: 5, ...parts, compared: null });
    expect([other?.firstAnswerMs, other?.compared?.verdict]).toEqual([
      expect.closeTo(2 * levelMs, 9),
      "slower",
    ]);
    expect(other?.compared?.ratio?.estimate).toBeCloseTo(2, 9);
    expect(other?.compared?.ratio?.low).toBeCloseTo(2, 6);
  });

  test("do not count where an exchange failed", () => {
    const error = { kind: "timeout", detail: "" } as const;
    const failed = samples("other", 40).map((sample, index) => (index === 0 ? { ...sample, error } : sample));
    const coldStarts = starts("other", 200);
    expect(costsOf({ coldStarts, samples: failed }).cold).toMatchObject([{ repetitions: 4, compared: null }]);
    expect(costsOf({ coldStarts }).cold).toEqual([]);
  });
});

describe("parts of a page", () => {
  const QUESTION = { targets: ["node", "other", "node~copy"], baseline: "node", copy: "node~copy" };
  const TIMES = { node: [10, 20, 30], other: [5, 20, 40], "node~copy": [10, 20, 30] } as const;
  const random = seededRandom(7);
  const noisy = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
  /** Six trials of three rounds each: parts of 10, 40 and 50 bytes at the times given, with a scatter of 1 %. */
  const timelines = Object.entries(TIMES).flatMap(([target, [first, half, last]]) =>
    Array.from({ length: 18 }, (_, index): Timeline => {
      const at = { caseId: "page", target, trial: Math.floor(index / 3), round: index % 3 };
      const arrivals = [[noisy(first), 10] as const, [noisy(half), 50] as const, [noisy(last), 100] as const];
      return { ...at, arrivals };
    }),
  );
  const ofOther = (question: Question) =>
    costsOf({ timelines }, question).partTimes.filter(({ target }) => target === "other");

  test("each have a time, a ratio and a verdict: one may come sooner while the whole comes later", () => {
    const [first, half, last] = ofOther(QUESTION);
    expect([first, half, last].map((part) => part?.compared?.verdict)).toEqual(["faster", "same", "slower"]);
    expect(first?.compared?.ratio?.estimate).toBeCloseTo(0.5, 1);
    expect(last?.ms).toBeCloseTo(40, 0);
    const bases = costsOf({ timelines }, QUESTION).partTimes.filter(({ target }) => target !== "other");
    expect(bases.map(({ compared }) => compared)).toEqual(Array(6).fill(null));
  });

  test("of a target that was not warm have no other verdict than that", () => {
    const verdicts = ofOther({ ...QUESTION, warm: cold(0, 1, 2, 3) }).map(
      ({ compared }) => compared?.verdict,
    );
    expect(verdicts).toEqual(["not warm", "not warm", "not warm"]);
  });

  test("are none where bodies came whole, and have no ratio with one trial", () => {
    expect(costsOf({}, QUESTION).partTimes).toEqual([]);
    const firstTrial = timelines.filter(({ trial }) => trial === 0);
    const { partTimes } = costsOf({ timelines: firstTrial }, QUESTION);
    expect(partTimes.map(({ compared }) => compared)).toEqual(Array(9).fill(null));
  });
});
