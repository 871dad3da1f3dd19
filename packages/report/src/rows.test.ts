import type { CaseAnalysis, RatioInterval } from "@evenbench/stats";
import { expect, test } from "vitest";
import type { CaseReport } from "./data.ts";
import { formatMsInterval, formatRatio } from "./format.ts";
import { otherBaselines } from "./rows.ts";

test("an interval that says nothing is not printed, and one that tells a side is, however wide", () => {
  expect(formatRatio({ estimate: 4.2, low: 0.01, high: 2890.77 })).toBe("too few trials");
  expect(formatRatio({ estimate: 9, low: 1.5, high: 40 })).toBe("9.00× (1.50–40.00)");
  expect(formatMsInterval(0.01, 2890)).toBe("too few trials");
  expect(formatMsInterval(1, 2)).toBe("1.00 ms – 2.00 ms");
});

const interval = (estimate: number, low: number, high: number): RatioInterval => ({
  estimate,
  low,
  high,
  level: 0.95,
});
const headline = {
  baseline: "node",
  comparisons: [
    { target: "worker", ratio: interval(0.5, 0.4, 0.8) },
    { target: "vercel", ratio: interval(1, 0.8, 1.25) },
  ],
} as unknown as CaseAnalysis;
const report = {
  headline,
  cpuTime: null,
  pairs: { headline: [{ target: "vercel", by: "worker", ratio: interval(2, 1.6, 2.5) }], cpuTime: [] },
} as unknown as CaseReport;
const names = new Map([["worker", "cloudflare"]]);
const against = (target: string) => otherBaselines(report, target, names);

test("the run's baseline has the inverse of the ratio to it, ends exchanged", () => {
  const [byWorker, byVercel] = against("node");
  expect(byWorker).toMatchObject({ platform: "cloudflare", headline: { estimate: 2, low: 1.25, high: 2.5 } });
  expect(byVercel).toMatchObject({ platform: "vercel", headline: { estimate: 1, low: 0.8, high: 1.25 } });
});

test("a pair is measured once, and stands for both ways", () => {
  expect(against("vercel")[0]).toMatchObject({
    headline: { estimate: 2, low: 1.6, high: 2.5 },
    isItself: false,
  });
  expect(against("worker")[1]).toMatchObject({ headline: { estimate: 0.5, low: 0.4, high: 0.625 } });
});

test("a target has no ratio to itself, and none of what was not measured", () => {
  expect(against("worker")[0]).toMatchObject({ headline: null, isItself: true });
  expect(against("vercel")[0]?.cpuTime).toBe(null);
});
