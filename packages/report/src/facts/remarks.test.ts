import { expect, test } from "vitest";
import { saysOtherwise } from "./remarks.ts";

test.each([
  ["slower", 60 / 66, true],
  ["slower", 72 / 66, false],
  ["faster", 72 / 66, true],
  ["same", 79 / 66, true],
  ["same", 58 / 66, true],
  ["same", 69 / 66, false],
  ["unclear", 99 / 66, false],
])(
  "%s by the median, with a p95 of %f times the baseline's, tells another story: %s",
  (verdict, ratio, is) => {
    expect(saysOtherwise(verdict, ratio)).toBe(is);
  },
);
