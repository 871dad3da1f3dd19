import { expect, test } from "vitest";
import { testSample } from "../test/samples.ts";
import { drawNormal, seededRandom } from "./random.ts";
import { warmInstances } from "./warm-instances.ts";

const ROUNDS = 40;
const random = seededRandom(3);
const about = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
/** A target that becomes twice as fast in the middle, beside one that stays. */
const falling = Array.from({ length: ROUNDS }, (_, roundIndex) => roundIndex).flatMap((roundIndex) => [
  testSample({ target: "still", roundIndex, lastByteMs: about(20) }),
  testSample({
    target: "falling",
    roundIndex,
    lastByteMs: about(roundIndex < ROUNDS / 2 ? 40 : 20),
    instanceId: "a",
  }),
]);

test("an instance that becomes faster while it is measured is not warm", () => {
  const warm = warmInstances(falling, []).times;
  expect(warm.get("still")?.get(0)).toEqual({ warm: true, reason: null });
  expect(warm.get("falling")?.get(0)).toEqual({ warm: false, reason: "fell by 50 % after 20 rounds" });
});

test("it is seen too where another instance gives the last answer, as deployed targets may", () => {
  const other = falling.map((sample) =>
    sample.target === "falling" && sample.roundIndex === ROUNDS - 1 ? { ...sample, instanceId: "b" } : sample,
  );
  expect(warmInstances(other, []).times.get("falling")?.get(0)?.warm).toBe(false);
});

test("where nearly all of the time is waiting, code that becomes faster is not warm for CPU time alone", () => {
  const waiting = falling.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs, lastByteMs: about(600) }));
  expect(warmInstances(waiting, []).cpuTime.get("falling")?.get(0)?.warm).toBe(false);
  expect(warmInstances(waiting, []).times.get("falling")?.get(0)?.warm).toBe(true);
  const working = waiting.map((sample) => ({ ...sample, lastByteMs: about(200) }));
  expect(warmInstances(working, []).times.get("falling")?.get(0)?.warm).toBe(false);
});

test("one that got less warm-up than its target needs is not warm, however still it was", () => {
  const warmUp = { caseId: "case", target: "still", trial: 0, exchanges: 2, needed: 68, warmAfter: 54 };
  expect(warmInstances(falling, [warmUp]).times.get("still")?.get(0)).toEqual({
    warm: false,
    reason: "got 2 of the 68 requests that warm it up",
  });
});
