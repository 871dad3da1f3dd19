import { expect, test } from "vitest";
import { lengthOf, lengthsPerSet, stagesPerSet, stageTime, stretchedTime } from "./stage-time.ts";

test("stages share what the starts leave of a case's time, within bounds", () => {
  expect(stageTime({ timeMs: 60_000, sets: 3, lengthsPerSet: 18, startMs: 2000 })).toBe(1000);
  expect(stageTime({ timeMs: 1000, sets: 3, lengthsPerSet: 18, startMs: 2000 })).toBe(500);
  expect(stageTime({ timeMs: 3_600_000, sets: 1, lengthsPerSet: 1, startMs: 0 })).toBe(30_000);
});

test("a stage at a low rate is long enough for its quantile, but not longer than four times", () => {
  const p99 = { quantile: 0.99, limitMs: 250 };
  expect(stretchedTime(1000, 1000, p99, 0.75)).toBe(1000);
  expect(stretchedTime(1000, 50, p99, 0.75)).toBe(2667);
  expect(stretchedTime(1000, 5, p99, 0.75)).toBe(4000);
});

test("a search has a closed loop and eight steps", () => {
  const loads = [1, 2, 4].map((lanes) => ({ kind: "closed", lanes }) as const);
  expect(stagesPerSet({ kind: "sweep", loads }, 2)).toBe(6);
  expect(lengthsPerSet({ kind: "sweep", loads: [...loads, { kind: "closed", lanes: 32 }] }, 2)).toBe(14);
  const condition = { quantile: 0.99, limitMs: 250 };
  expect(stagesPerSet({ kind: "capacity", condition, arrivals: "poisson", lanes: 64 }, 2)).toBe(18);
});

test("many lanes get longer stages, so that each is answered several times", () => {
  expect(lengthOf({ kind: "closed", lanes: 8 })).toBe(1);
  expect(lengthOf({ kind: "closed", lanes: 32 })).toBe(4);
  expect(lengthOf({ kind: "open", perSecond: 10, arrivals: "poisson", lanes: 64 })).toBe(1);
});
