import { expect, test } from "vitest";
import { formatChange, formatRatio, percentRange } from "./format.ts";

test.each([
  [{ estimate: 0.6, low: 0.51, high: 0.71 }, "−40 % (−49 to −29)"],
  [{ estimate: 1.08, low: 1.00105, high: 1.17 }, "+8 % (+0.1 to +17)"],
  [{ estimate: 0.98, low: 0.96, high: 0.9996 }, "−2 % (−4 to −0.04)"],
  [{ estimate: 1.001, low: 0.996, high: 1.006 }, "+0.1 % (−0.4 to +0.6)"],
  [{ estimate: 0.999004, low: 0.96, high: 1.04 }, "−0.1 % (−4 to +4)"],
  [{ estimate: 1, low: 1, high: 1.3 }, "0 % (0 to +30)"],
  [null, "–"],
])("%j is the change %s: no end that is not 0 is shown as 0", (ratio, shown) => {
  expect(formatChange(ratio)).toBe(shown);
});

test("the low end of a ratio above 1 is not shown as 1, and that in words not as 0", () => {
  expect(formatRatio({ estimate: 1.08, low: 1.00105, high: 1.17 })).toBe("1.080× (1.001–1.170)");
  expect(formatRatio({ estimate: 1.08, low: 1, high: 1.17 })).toBe("1.08× (1.00–1.17)");
  expect(percentRange({ low: 1.00105, high: 1.17 })).toBe("0.1 to 17 % more time");
});
