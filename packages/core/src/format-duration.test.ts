import { expect, test } from "vitest";
import { formatDuration } from "./basics.ts";

test.each([
  [849.6, "850 ms"],
  [12_400, "12 s"],
  [59_600, "1 min"],
  [92_000, "1 min 32 s"],
])("%d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
