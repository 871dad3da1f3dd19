import { expect, test } from "vitest";
import { amountWords, boundWords } from "./amounts.ts";
import { formatMs } from "./format.ts";

test.each([
  [{ estimate: 1.12, low: 1.09, high: 1.16 }, "12 % more, 9 to 16 %", "+9 to +16 %"],
  [{ estimate: 0.6, low: 0.51, high: 0.71 }, "40 % less, 29 to 49 %", "−49 to −29 %"],
  [{ estimate: 1, low: 0.98, high: 1.01 }, "−2 to +1 %", "−2 to +1 %"],
  // What rounding would make 0 keeps a digit, so that it is seen on which side it lies.
  [{ estimate: 1.08, low: 1.001, high: 1.17 }, "8 % more, 0.1 to 17 %", "+0.1 to +17 %"],
  [{ estimate: 1, low: 1, high: 1 + 1e-11 }, "0 to 0 %", "0 to 0 %"],
])("%j is said in words", (ratio, amount, bound) => {
  expect([amountWords(ratio), boundWords(ratio)]).toEqual([amount, bound]);
});

test.each([
  [999.4, "999 ms"],
  [999.7, "1,000 ms"],
  [1000, "1,000 ms"],
])("%f ms has one form, whatever it is rounded from", (ms, text) => expect(formatMs(ms)).toBe(text));
