import { text } from "node:stream/consumers";
import { getHeapSnapshot } from "node:v8";
import { expect, test } from "vitest";
import { heldBy, keptBetween } from "./heap-snapshot.ts";

class Visit {
  readonly page = new Uint8Array(1000);
}

async function snapshot(): Promise<ReturnType<typeof heldBy>> {
  return heldBy(await text(getHeapSnapshot()));
}

test("what is kept between two snapshots is counted by constructor, buffers beside the heap among it", async () => {
  const before = await snapshot();
  const kept = Array.from({ length: 5000 }, () => new Visit());
  const rows = keptBetween(before, await snapshot());
  const of = (name: string) => rows.find((row) => row.name === name);
  expect(of("Visit")?.objects).toBe(kept.length);
  expect(of("system / JSArrayBufferData")?.bytes).toBeGreaterThanOrEqual(kept.length * 1000);
  expect(rows.map(({ bytes }) => bytes)).toEqual(rows.map(({ bytes }) => bytes).toSorted((a, b) => b - a));
}, 60_000);

test("what is gone, and what takes no more than before, is not kept", () => {
  const before = new Map([
    ["Gone", { objects: 5, bytes: 500 }],
    ["Same", { objects: 5, bytes: 500 }],
  ]);
  const after = new Map([
    ["Same", { objects: 5, bytes: 500 }],
    ["More", { objects: 1, bytes: 8 }],
  ]);
  expect(keptBetween(before, after)).toEqual([{ name: "More", objects: 1, bytes: 8 }]);
});
