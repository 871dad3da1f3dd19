import { inTime } from "@evenbench/core/in-time";
import { expect, test } from "vitest";
import { maskInTime } from "./mask-in-time.ts";

const rulesOf = (pattern: string) => ({
  masks: [{ name: `--mask ${pattern}`, pattern, replacement: "" }],
  variation: null,
});
const BACKTRACKS = rulesOf("(x+)+$");
const BODY = `${"x".repeat(2000)}y`;

test("a mask replaces all that it matches, over lines, as often as it is asked", () => {
  for (let time = 0; time < 3; time++) {
    expect(maskInTime("a1\nb22", rulesOf("\\d+.?"))).toBe("ab");
  }
});

test("a mask that would try for ever is ended, and named with what next", () => {
  const named = { name: "SlowMaskError", message: expect.stringContaining("--mask (x+)+$ ") };
  expect(() => maskInTime(BODY, BACKTRACKS)).toThrow(expect.objectContaining(named));
});

test("work that a busy machine held up is done anew, with more time", () => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let times = 0;
  const work = () => {
    times += 1;
    if (times === 1) {
      Atomics.wait(cell, 0, 0, 200);
    }
    return "done";
  };
  expect(inTime(20, work, () => new Error("late"))).toBe("done");
  expect(times).toBeGreaterThan(1);
});
