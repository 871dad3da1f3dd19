import { expect, test } from "vitest";
import { formatMs, formatRatio } from "./format.ts";

test("the low end of a ratio above 1 is not shown as 1", () => {
  expect(formatRatio({ estimate: 1.08, low: 1.00105, high: 1.17 })).toBe("1.080× (1.001–1.170)");
  expect(formatRatio({ estimate: 1.08, low: 1, high: 1.17 })).toBe("1.08× (1.00–1.17)");
});

test("a ratio whose interval says nothing is not shown", () => {
  expect(formatRatio({ estimate: 4.2, low: 0.01, high: 2890.77 })).toBe("interval too wide");
  expect(formatRatio({ estimate: 9, low: 1.5, high: 40 })).toBe("9.00× (1.50–40.00)");
});

test.each([
  [999.4, "999 ms"],
  [999.7, "1,000 ms"],
  [1000, "1,000 ms"],
])("%f ms has one form, whatever it is rounded from", (ms, text) => expect(formatMs(ms)).toBe(text));
