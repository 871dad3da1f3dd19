import { describe, expect, test } from "vitest";
import { drawNormal, testSample } from "../test/samples.ts";
import { seededRandom } from "./random.ts";
import { warmInstances } from "./warm-instances.ts";

describe("an instance", () => {
  const ROUNDS = 40;
  const random = seededRandom(3);
  const about = (ms: number) => ms * Math.exp(0.01 * drawNormal(random));
  /** A target that becomes twice as fast in the middle, beside one that stays. */
  const falling = Array.from({ length: ROUNDS }, (_, roundIndex) => [
    testSample({ target: "still", roundIndex, lastByteMs: about(20) }),
    testSample({ target: "falling", roundIndex, lastByteMs: about(roundIndex < ROUNDS / 2 ? 40 : 20) }),
  ]).flat();
  const isWarm = (samples: typeof falling, by: "times" | "cpuTime") =>
    warmInstances(samples, [])[by].get("falling")?.get(0) === null;

  test("that becomes faster while it is measured is not warm, also where another gives its last answer", () => {
    const { times } = warmInstances(falling, []);
    expect(times.get("still")?.get(0)).toBeNull();
    expect(times.get("falling")?.get(0)).toEqual({
      code: "fell",
      by: expect.closeTo(0.5, 1),
      afterRounds: 20,
    });
    const other = falling.map((was) => ({ ...was, instanceId: was.roundIndex === ROUNDS - 1 ? "b" : "a" }));
    expect(isWarm(other, "times")).toBe(false);
  });

  test("whose time is nearly all waiting is not warm for CPU time alone where code becomes faster", () => {
    const waiting = falling.map((was) => ({ ...was, cpuMs: was.lastByteMs, lastByteMs: about(600) }));
    expect([isWarm(waiting, "cpuTime"), isWarm(waiting, "times")]).toEqual([false, true]);
    const working = waiting.map((sample) => ({ ...sample, lastByteMs: about(200) }));
    expect(isWarm(working, "times")).toBe(false);
  });

  test("that got less warm-up than its target needs is not warm, however still it was", () => {
    const warmUp = { caseId: "case", target: "still", trial: 0, exchanges: 2, needed: 68, warmAfter: 54 };
    const short = { code: "short-warm-up", got: 2, needed: 68 };
    expect(warmInstances(falling, [warmUp]).times.get("still")?.get(0)).toEqual(short);
  });
});

test.each([
  ["judged trial by trial unless it is named", false, [10, 10, 12, 10, 10, 12, 10, 10], "ynyy"],
  ["warm where a trial's speed comes and goes", true, [10, 10, 12, 10, 10, 12, 10, 10], "yyyy"],
  ["warm from its lasting level on", true, [20, 20, 10, 10, 10, 10, 10, 10], "nyyy"],
  ["never warm where that came last", true, [40, 40, 30, 30, 20, 20, 20, 10], "nnnn"],
  [
    "warm where another became faster alike",
    true,
    [40, 40, 30, 30, 20, 20, 20, 10],
    "yyyy",
    ["lasting", "b"],
  ],
])(
  "a process that lasts for the whole run is %s",
  (_, isLasting, levels, expected, targets = ["lasting"]) => {
    const samples = levels.flatMap((ms, half) =>
      Array.from({ length: 30 }, (_round, index) => {
        const at = { trial: half >> 1, roundIndex: 30 * (half % 2) + index };
        const lastByteMs = ms + (index % 3) / 10;
        return targets.map((target) => testSample({ target, ...at, lastByteMs }));
      }).flat(),
    );
    const { times } = warmInstances(samples, [], new Set(isLasting ? ["lasting"] : []));
    const warm = [...(times.get("lasting")?.values() ?? [])].map((warmth) => (warmth === null ? "y" : "n"));
    expect(warm.join("")).toBe(expected);
  },
);
