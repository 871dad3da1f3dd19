import { expect, test } from "vitest";
import { formatEstimate, formatMsInterval, formatRatio } from "./format.ts";

test("an interval that says nothing is not printed, and one that tells a side is, however wide", () => {
  expect(formatRatio({ estimate: 4.2, low: 0.01, high: 2890.77 })).toBe("too few trials");
  expect(formatEstimate({ estimate: 4.2, low: 0.01, high: 2890.77, level: 0.95 })).toBe("too few trials");
  expect(formatRatio({ estimate: 9, low: 1.5, high: 40 })).toBe("9.00× (1.50–40.00)");
  expect(formatMsInterval(0.01, 2890)).toBe("too few trials");
  expect(formatMsInterval(1, 2)).toBe("1.00 ms – 2.00 ms");
});
