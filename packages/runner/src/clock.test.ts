import { expect, test } from "vitest";
import { RunClock } from "./clock.ts";

const START = Date.parse("2026-11-27T12:00:00.000Z");

function clockAt() {
  const at = { wall: START, monotonic: 5000 };
  const clock = new RunClock({ wall: () => at.wall, monotonic: () => at.monotonic });
  const pass = (ms: number, wallMs = ms) => {
    at.monotonic += ms;
    at.wall += wallMs;
  };
  return { clock, pass };
}

test("an end is the start and the time since then, wherever the wall clock was set", () => {
  const { clock, pass } = clockAt();
  pass(20_000, 20_000 - 3_600_000);
  expect(clock.startedAt).toBe("2026-11-27T12:00:00.000Z");
  expect(clock.elapsedMs()).toBe(20_000);
  expect(clock.now()).toBe("2026-11-27T12:00:20.000Z");
});

test.each([
  ["back", -3_600_000],
  ["forward", 7_200_000],
])("a wall clock that is set %s is told once", (_, step) => {
  const { clock, pass } = clockAt();
  pass(1000);
  expect(clock.newStepMs()).toBeNull();
  pass(1000, 1000 + step);
  expect(clock.newStepMs()).toBe(step);
  pass(1000);
  expect(clock.newStepMs()).toBeNull();
});

test("a wall clock that NTP slews over hours was not set", () => {
  const { clock, pass } = clockAt();
  pass(36_000_000, 36_000_000 * 1.0005);
  expect(clock.newStepMs()).toBeNull();
});
