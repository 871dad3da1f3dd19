import { expect, test } from "vitest";
import { maskInTime, SlowMaskError } from "./mask-in-time.ts";

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
  expect(() => maskInTime(BODY, BACKTRACKS)).toThrow(SlowMaskError);
  expect(() => maskInTime(BODY, BACKTRACKS)).toThrow(
    "--mask (x+)+$ takes too long on a body of 2001 bytes. Write it without a repetition within another one",
  );
});
