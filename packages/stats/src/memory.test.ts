import type { MemoryReading } from "@evenbench/results";
import { expect, test } from "vitest";
import { memoryTrends } from "./memory.ts";
import { subtracted } from "./model.ts";

/** Readings after blocks of 200 requests of which each leaves so many bytes in the heap. */
function readings(bytesARequest: number, noise: readonly number[] = []): readonly MemoryReading[] {
  return Array.from({ length: 9 }, (_, block) => ({
    caseId: "case",
    target: "worker",
    block,
    requests: 200,
    heapBytes: Math.round(6e6 + 200 * block * bytesARequest + (noise[block] ?? 0)),
    bufferBytes: 1000,
    residentBytes: null,
  }));
}

const heapOf = (all: readonly MemoryReading[]) => memoryTrends(all).find(({ kind }) => kind === "heapBytes");

test("what each request leaves is the slope, and the first block's caches are not in it", () => {
  const noise = [0, 4000, -3000, 2000, -4000, 1000, 3000, -2000, 1000];
  const heap = heapOf(readings(40_000, noise));
  expect(heap?.verdict).toBe("grows");
  expect(heap?.slope?.estimate).toBeCloseTo(40_000, -2);
  const filled = readings(0, noise).map((reading) =>
    reading.block === 0 ? { ...reading, requests: 1 } : reading,
  );
  expect(heapOf(filled)?.verdict).toBe("flat");
});

test("what is kept beside the heap has a slope of its own", () => {
  const beside = readings(0).map((reading) => ({ ...reading, bufferBytes: 8_000_000 * reading.block }));
  const trends = memoryTrends(beside);
  expect(trends.map(({ kind, verdict }) => [kind, verdict])).toEqual([
    ["heapBytes", "flat"],
    ["bufferBytes", "grows"],
  ]);
  expect(trends[1]).toMatchObject({ slope: { estimate: 40_000 }, bytes: 64_000_000 });
});

test("readings that scatter more than the bound are unclear, and two readings have no interval", () => {
  const wild = [0, 5e6, 0, 5e6, 0, 5e6, 0, 5e6, 0];
  expect(heapOf(readings(0, wild))?.verdict).toBe("unclear");
  expect(heapOf(readings(40_000).slice(0, 2))).toMatchObject({ slope: null, verdict: "unclear" });
});

test("of a difference of two means the half-widths add in quadrature, end by end", () => {
  const [after, before] = [
    { estimate: 100, low: 97, high: 108 },
    { estimate: 40, low: 34, high: 44 },
  ] as const;
  expect(subtracted(after, before)).toEqual({ estimate: 60, low: 55, high: 70 });
});
