import { expect, test } from "vitest";
import { describeShortWarmUp, warmUpShares } from "./stage-time.ts";

test("connections share half of what is left of a case's time; what one leaves is the others'", () => {
  let now = 1000;
  const nextEnd = warmUpShares(61_000, 3, () => now);
  expect(nextEnd()).toBe(11_000);
  now = 3000;
  expect(nextEnd()).toBe(3000 + 14_000);
  now = 17_000;
  expect(nextEnd()).toBe(31_000);
});

test("however little is left, a connection gets a second and a half", () => {
  const nextEnd = warmUpShares(0, 2, () => 5000);
  expect([nextEnd(), nextEnd()]).toEqual([6500, 6500]);
});

test("a warm-up that ended early says why, and how far it came", () => {
  const short = { exchanges: 12, elapsedMs: 1, warm: false, needed: 50, error: null };
  expect(describeShortWarmUp(short)).toContain("its time ended its warm-up after 12 of the 50 requests");
  expect(describeShortWarmUp({ ...short, needed: null })).toContain("too few to find out");
  const error = { kind: "timeout", detail: "late" } as const;
  expect(describeShortWarmUp({ ...short, error })).toContain("a failed request (timeout: late) ended");
});
