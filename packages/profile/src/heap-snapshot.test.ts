import { once } from "node:events";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { heldBy, keptBetween } from "./heap-snapshot.ts";

/** Keeps some objects where it is told to. A heap of its own: that of all tests takes long to write. */
const KEEPS = `
const { parentPort } = require("node:worker_threads");
class Visit {
  page = new Uint8Array(1000);
}
let kept;
parentPort.on("message", (count) => {
  kept = Array.from({ length: count }, () => new Visit());
  parentPort.postMessage("kept");
});
parentPort.postMessage("ready");
`;

test("what is kept between two snapshots is counted by constructor, buffers beside the heap among it", async () => {
  const worker = new Worker(KEEPS, { eval: true });
  onTestFinished(() => void worker.terminate());
  await once(worker, "message");
  const snapshot = async () => heldBy(await text(await worker.getHeapSnapshot()));
  const before = await snapshot();
  const count = 5000;
  worker.postMessage(count);
  await once(worker, "message");
  const rows = keptBetween(before, await snapshot());
  const of = (name: string) => rows.find((row) => row.name === name);
  expect(of("Visit")?.objects).toBe(count);
  expect(of("system / JSArrayBufferData")?.bytes).toBeGreaterThanOrEqual(count * 1000);
  expect(rows.map(({ bytes }) => bytes)).toEqual(rows.map(({ bytes }) => bytes).toSorted((a, b) => b - a));
});

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
