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
