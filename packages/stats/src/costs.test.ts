import type { ColdStart, InstanceUsage, Sample, Timeline } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import type { Question } from "./compare.ts";
import { type CaseCosts, type CostsMeasured, fitCosts, tellCosts } from "./costs.ts";
import { seededRandom } from "./random.ts";

const fitted = (measured: Partial<CostsMeasured>, question: Question) =>
  fitCosts(
    { usage: [], samples: [], coldStarts: [], timelines: [], ...measured },
    () => question,
    "lastByteMs",
  );
/** Of a case alone. */
const costsOf = (measured: Partial<CostsMeasured>, question: Question) =>
  tellCosts([fitted(measured, question)])[0] as CaseCosts;
const summariseCpu = (all: readonly InstanceUsage[], question: Question) =>
  costsOf({ usage: all }, question).cpu;
const computeTimes = (samples: readonly Sample[], question: Question) =>
  costsOf({ samples }, question).computeTimes;
const partTimes = (timelines: readonly Timeline[], question: Question) =>
  costsOf({ timelines }, question).partTimes;
const coldSummaries = (coldStarts: readonly ColdStart[], samples: readonly Sample[], question: Question) =>
  costsOf({ coldStarts, samples }, question).cold;

const BOTH = { targets: ["node", "other"], baseline: "node", copy: null };
const cold = (...trials: readonly number[]) =>
  new Map([["other", new Map(trials.map((trial) => [trial, { warm: false, reason: "fell" }]))]]);

function usage(target: string, trial: number, msPerExchange: number): InstanceUsage {
  const cpuMs = msPerExchange * 50;
  return {
    ...{ caseId: "case", target, trial, exchanges: 50, cpuMs, userMs: cpuMs * 0.75, systemMs: cpuMs * 0.25 },
    ...{ minorFaults: null, residentBytes: 100 + trial, peakResidentBytes: 200 + trial },
  };
}

describe("CPU time for one exchange", () => {
  const slowed = [1, 1.5, 0.8, 2, 1.1].flatMap((slow, trial) => [
    usage("node", trial, 10 * slow),
    usage("other", trial, 12 * slow),
  ]);

  test("is compared within trials, where a slow machine slows both", () => {
    const [node, other] = summariseCpu(slowed, BOTH);
    expect(node).toMatchObject({ target: "node", ratio: null, systemShare: 0.25, residentBytes: 104 });
    expect(other?.msPerExchange).toBeCloseTo((node?.msPerExchange ?? 0) * 1.2, 9);
    for (const end of ["estimate", "low", "high"] as const) expect(other?.ratio?.[end]).toBeCloseTo(1.2, 6);
  });

  test("is that of warm instances", () => {
    const odd = slowed.map((one) =>
      one.target === "other" && one.trial === 0 ? { ...one, cpuMs: 9000 } : one,
    );
    expect(summariseCpu(odd, { ...BOTH, warm: cold(0) })[1]?.ratio?.estimate).toBeCloseTo(1.2, 6);
  });

  test("without an account, or with one trial, has nothing to compare", () => {
    expect(summariseCpu([], BOTH)).toEqual([]);
    const rows = [usage("node", 0, 10), usage("other", 0, 12), { ...usage("other", 1, 12), exchanges: 0 }];
    expect(summariseCpu(rows, BOTH)[1]?.ratio).toBeNull();
  });
});

describe("compute time", () => {
  /** Five trials of a case that works for `computeMs` on top of a transfer time. */
  const run = (target: string, transferMs: number, computeMs: number): Sample[] =>
    [0, 1, 2, 3, 4].flatMap((trial) => {
      const way = transferMs * (1 + 0.02 * trial);
      return Array.from({ length: 8 }, (_, roundIndex) => [
        testSample({ target, trial, roundIndex, lastByteMs: way + computeMs * (1 + 0.03 * trial) }),
        // The first rounds are warm-up of what only the payload uses.
        testSample({
          target,
          trial,
          roundIndex,
          phase: "transfer",
          lastByteMs: way + (roundIndex < 3 ? 50 : 0),
        }),
      ]).flat();
    });

  test("has what both spend on the way taken off before its ratio is made", () => {
    const [node, other] = computeTimes([...run("node", 10, 10), ...run("other", 10, 20)], BOTH);
    expect(node).toMatchObject({ target: "node", ratio: null });
    expect(node?.transferMs).toBeCloseTo(10 * 1.04, 9);
    expect(node?.computeMs).toBeCloseTo(10 * 1.06, 9);
    // As times the ratio would be 1.5.
    expect(other?.ratio?.estimate).toBeCloseTo(2, 9);
  });

  test("that vanishes in the noise has no ratio, and raw figures stay", () => {
    const [, other] = computeTimes([...run("node", 10, 5), ...run("other", 10, -0.1)], BOTH);
    expect(other?.ratio).toBeNull();
    expect(other?.computeMs).toBeLessThan(0);
  });

  test("is not known without a transfer time that was answered", () => {
    const samples = run("node", 10, 5);
    const error = { kind: "status", detail: "404" } as const;
    const failed = samples.map((one) => (one.phase === "transfer" ? { ...one, error } : one));
    const none = samples.filter(({ phase }) => phase === "measure");
    expect([none, failed].map((given) => computeTimes(given, BOTH))).toEqual([[], []]);
  });
});

describe("cold starts", () => {
  /** Repetitions on a machine that is slower each time. */
  const slow = [1, 1.1, 1.2, 1.3, 1.4];
  const starts = (target: string, readyMs: number) =>
    slow.map(
      (factor, repetition): ColdStart => ({ caseId: "case", target, repetition, readyMs: readyMs * factor }),
    );
  const samples = (target: string, firstMs: number) =>
    slow.flatMap((factor, trial) =>
      [firstMs * factor, 1].map((lastByteMs, roundIndex) =>
        testSample({ target, trial, roundIndex, phase: "cold", lastByteMs }),
      ),
    );

  test("have medians of each part, and the ratio of start and first exchange within repetitions", () => {
    const [node, other] = coldSummaries(
      [...starts("node", 100), ...starts("other", 200)],
      [...samples("node", 20), ...samples("other", 40)],
      BOTH,
    );
    const parts = { readyMs: 120, firstMs: 24, secondMs: 1 };
    expect(node).toEqual({ target: "node", repetitions: 5, ...parts, ratio: null });
    expect(other?.ratio?.estimate).toBeCloseTo(2, 9);
    expect(other?.ratio?.low).toBeCloseTo(2, 6);
  });

  test("do not count where an exchange failed", () => {
    const error = { kind: "timeout", detail: "" } as const;
    const failed = samples("other", 40).map((one, index) => (index === 0 ? { ...one, error } : one));
    expect(coldSummaries(starts("other", 200), failed, BOTH)).toMatchObject([
      { repetitions: 4, ratio: null },
    ]);
    expect(coldSummaries(starts("other", 200), [], BOTH)).toEqual([]);
  });
});

describe("parts of a page", () => {
  const QUESTION = { targets: ["node", "other", "node~copy"], baseline: "node", copy: "node~copy" };
  const TIMES = { node: [10, 20, 30], other: [5, 20, 40], "node~copy": [10, 20, 30] } as const;

  /** Six trials of three rounds each: parts of 10, 40 and 50 bytes at the times given, with a scatter of 1 %. */
  function timelinesOf(times: Readonly<Record<string, readonly [number, number, number]>>): Timeline[] {
    const random = seededRandom(7);
    const noisy = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
    return Object.entries(times).flatMap(([target, [first, half, last]]) =>
      Array.from({ length: 18 }, (_, index) => ({
        ...{ caseId: "page", target, trial: Math.floor(index / 3), round: index % 3 },
        arrivals: [
          [noisy(first), 10],
          [noisy(half), 50],
          [noisy(last), 100],
        ] as const,
      })),
    );
  }

  test("each have a time, a ratio and a verdict: one may come sooner while the whole comes later", () => {
    const found = partTimes(timelinesOf(TIMES), QUESTION);
    const of = (part: string) => found.find((one) => one.target === "other" && one.part === part);
    expect(["first", "half", "last"].map((part) => of(part)?.verdict)).toEqual(["faster", "same", "slower"]);
    expect(of("first")?.ratio?.estimate).toBeCloseTo(0.5, 1);
    expect(of("last")?.ms).toBeCloseTo(40, 0);
    const bases = found.filter(({ target }) => target !== "other");
    expect(bases.map(({ ratio, verdict }) => [ratio, verdict])).toEqual(Array(6).fill([null, null]));
  });

  test("of a target that was not warm have no other verdict than that", () => {
    const found = partTimes(timelinesOf(TIMES), { ...QUESTION, warm: cold(0, 1, 2, 3) });
    const verdicts = found.filter(({ target }) => target === "other").map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["not warm", "not warm", "not warm"]);
  });

  test("are none where bodies came whole, and have no ratio with one trial", () => {
    expect(partTimes([], QUESTION)).toEqual([]);
    const one = timelinesOf(TIMES).filter(({ trial }) => trial === 0);
    expect(partTimes(one, QUESTION).every(({ ratio, verdict }) => ratio === null && verdict === null)).toBe(
      true,
    );
  });
});
