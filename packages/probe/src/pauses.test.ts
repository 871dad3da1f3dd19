import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PauseWatch } from "./pauses.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

test("a pause is one of what was begun before it, and not of what begins behind it", () => {
  const watch = new PauseWatch();
  const begunAt = performance.now();
  vi.advanceTimersByTime(1300);
  expect(watch.pausedSince(begunAt)).toBe(1300);
  const begunLaterAt = performance.now();
  vi.advanceTimersByTime(50);
  expect(watch.pausedSince(begunLaterAt)).toBe(0);
});

test("a process that runs has no pause, however long it waits for a server", () => {
  const watch = new PauseWatch();
  const begunAt = performance.now();
  for (let beats = 0; beats < 6; beats++) {
    vi.advanceTimersByTime(900);
    watch.noteRunning();
  }
  expect(watch.pausedSince(begunAt)).toBe(0);
});
