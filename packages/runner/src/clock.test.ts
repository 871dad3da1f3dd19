import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunClock } from "./clock.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Lets time pass by the monotonic clock, and sets the wall clock by so much beside it. */
function pass(ms: number, stepMs = 0): void {
  vi.advanceTimersByTime(ms);
  vi.setSystemTime(Date.now() + stepMs);
}

test.each([
  ["back", -3_600_000],
  ["forward", 7_200_000],
])("a wall clock that is set %s is told once", (_, step) => {
  const clock = new RunClock();
  pass(1000);
  expect(clock.newStepMs()).toBeNull();
  pass(1000, step);
  expect(clock.newStepMs()).toBe(step);
  pass(1000);
  expect(clock.newStepMs()).toBeNull();
  expect(Date.parse(clock.now()) - Date.parse(clock.startedAt)).toBe(3000);
});

test("a wall clock that NTP slews over hours was not set", () => {
  const clock = new RunClock();
  pass(36_000_000, 18_000);
  expect(clock.newStepMs()).toBeNull();
});
