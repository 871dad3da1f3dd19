import type { Verdict } from "@evenbench/stats";
import { describe, expect, test } from "vitest";
import {
  changesOf,
  cpuAnswer,
  cpuSentencesOf,
  findingWords,
  sentencesOf,
  type TargetFinding,
} from "./sentences.ts";

const ratioOf = (estimate: number, low: number, high: number) => ({ estimate, low, high });
const judged = (verdict: Verdict, estimate: number, low: number, high: number) => ({
  verdict,
  ratio: ratioOf(estimate, low, high),
});
const found = (changes: Partial<TargetFinding> = {}): TargetFinding => ({
  target: "Vercel",
  baseline: "Node.js",
  ...judged("unclear", 1.04, 0.88, 1.23),
  cpu: null,
  ...changes,
});
const same = found(judged("same", 1, 0.97, 1.03));
const sentences = (...all: readonly TargetFinding[]) => sentencesOf(all, (name) => name);

describe("what is open has its bound", () => {
  test.each([
    [
      "beside what is decided",
      [found(), found(judged("unclear", 1, 0.95, 1.066)), same],
      "Vercel: the same as Node.js in 1 of 3 cases, unclear in 2 (at most 7 % less or more in the clearest, 23 % in the least clear).",
    ],
    [
      "alone in a sentence, which then names the baseline",
      [found(), found(judged("unclear", 1, 0.72, 1.1))],
      "Vercel: unclear against Node.js in both cases (at most 23 % less or more in the clearest, 28 % in the least clear).",
    ],
    [
      "and what has no interval, or one that says nothing, is counted apart",
      [found(), found({ ratio: null }), found(judged("unclear", 1, 0.1, 10)), same],
      "Vercel: the same as Node.js in 1 of 4 cases, unclear in 1 (between 12 % less and 23 % more), unclear in 1 (no interval: too few trials count, or they differ too much), unclear in 1 (the interval is too wide to say anything).",
    ],
    [
      "in milliseconds, where vantages measured",
      [
        found({ ratio: null, differenceMs: ratioOf(1, -2, 4) }),
        found({ ratio: null, differenceMs: ratioOf(0, -7, 6) }),
        found({ ratio: null, differenceMs: null }),
      ],
      "Vercel: unclear against Node.js in 2 of 3 cases (at most 4.00 ms less or more in the clearest, 7.00 ms in the least clear), unclear in 1 (no interval over all vantages).",
    ],
    ["of one case with both ends", [found()], "Vercel against Node.js: unclear, −12 to +23 %."],
    [
      "of one case whose interval says nothing",
      [found(judged("unclear", 1, 0.1, 10))],
      "Vercel against Node.js: unclear, interval too wide.",
    ],
    [
      "of one case without an interval",
      [found({ ratio: null })],
      "Vercel against Node.js: unclear, no interval.",
    ],
  ] as const)("%s", (_, all, expected) => expect(sentences(...all)).toEqual([expected]));
});

describe("CPU time answers where time cannot", () => {
  const cpu = judged("slower", 1.12, 1.09, 1.16);

  test("in one case both are said", () => {
    expect(sentences(found({ cpu }))).toEqual([
      "Vercel against Node.js: time: unclear, −12 to +23 %; CPU time: 12 % more, 9 to 16 %.",
    ]);
    expect(changesOf([found({ cpu })])).toEqual([
      "Vercel against before: time: unclear, −12 to +23 %; CPU time: 12 % more, 9 to 16 %.",
    ]);
    expect(findingWords(found({ cpu: judged("same", 1, 0.98, 1.01) }))).toBe(
      "time: unclear, −12 to +23 %; CPU time: the same, −2 to +1 %",
    );
  });

  test("in many it has a sentence of its own, with how many it decides", () => {
    const [, ofCpu] = sentences(same, found({ cpu }), found({ cpu: same }), found({ cpu: found() }));
    expect(ofCpu).toBe(
      "Vercel: CPU time is 12 % more in 1 of 3 cases, the same in 1, unclear in 1. Of the 3 unclear by time, it is 12 % more in 1, the same in 1.",
    );
    const [, ofAll] = sentences(same, found({ cpu }), found({ cpu: judged("slower", 1.09, 1.05, 1.13) }));
    const [, ofOnly] = sentences(same, found({ cpu }));
    expect(ofOnly).toBe(
      "Vercel: CPU time is 12 % more in 1 case. In the case where time is unclear, it is 12 % more.",
    );
    expect(ofAll).toBe(
      "Vercel: CPU time is 9 to 12 % more in both cases. In the 2 cases where time is unclear, it is 9 to 12 % more.",
    );
  });

  test("what it says is counted over all cases, so that nothing is picked", () => {
    const all = [{ ...same, cpu }, { ...same, cpu: same }, found({ cpu: same }), { ...same, cpu: found() }];
    const said =
      "Vercel: CPU time is 12 % more in 1 of 4 cases, the same in 2, unclear in 1. In the case where time is unclear, it is the same.";
    expect(sentences(...all)[1]).toBe(said);
    expect(cpuSentencesOf(all, (name) => name)).toEqual([said]);
    // Where time leaves nothing open it has no part in the answer, and its own sentence all the same.
    const decided = [
      { ...same, cpu },
      { ...same, cpu: same },
    ];
    expect(sentences(...decided)).toEqual(["Vercel: the same as Node.js in both cases."]);
    expect(cpuSentencesOf(decided, (name) => name)).toEqual([
      "Vercel: CPU time is 12 % more in 1 of 2 cases, the same in 1.",
    ]);
    expect(cpuSentencesOf([same, same], (name) => name)).toEqual([]);
  });

  test("one or two cases in which it differs are named, more are counted", () => {
    const titled = (title: string, verdict: TargetFinding["cpu"]) => ({ ...same, title, cpu: verdict });
    const sentenceOf = (...all: readonly TargetFinding[]) => cpuSentencesOf(all, (name) => name)[0];
    expect(sentenceOf(titled("A, B", cpu), titled("C", cpu), titled("D", same))).toBe(
      "Vercel: CPU time is 12 % more in 2 of 3 cases (A, B; C), the same in 1.",
    );
    expect(sentenceOf(titled("A", cpu), titled("B", cpu), titled("C", cpu), titled("D", same))).toBe(
      "Vercel: CPU time is 12 % more in 3 of 4 cases, the same in 1.",
    );
  });

  test("it is silent where time is decided, where it is open itself, and where it is not known", () => {
    expect(cpuAnswer({ ...same, cpu })).toBeNull();
    expect(cpuAnswer(found({ cpu: judged("unclear", 1, 0.9, 1.1) }))).toBeNull();
    expect(cpuAnswer(found({ cpu: judged("not warm", 1.1, 1.05, 1.2) }))).toBeNull();
    expect(cpuAnswer(found())).toBeNull();
    expect(sentences({ ...same, cpu }, same)).toEqual(["Vercel: the same as Node.js in both cases."]);
  });
});
