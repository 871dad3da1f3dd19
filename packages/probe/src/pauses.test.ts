import { expect, test } from "vitest";
import { PauseWatch } from "./pauses.ts";

/** A watch whose clock says what it is set to, in milliseconds. */
function watchAt() {
  const clock = { ms: 0 };
  return { clock, watch: new PauseWatch(() => clock.ms) };
}

test("a pause is one of what was begun before it, and not of what begins behind it", () => {
  const { clock, watch } = watchAt();
  clock.ms = 1300;
  expect(watch.pausedSince(10)).toBe(1300);
  watch.noteRunning();
  clock.ms = 1350;
  expect(watch.pausedSince(1310)).toBe(0);
});

test("a process that runs has no pause, however long it waits for a server", () => {
  const { clock, watch } = watchAt();
  for (clock.ms = 0; clock.ms < 5000; clock.ms += 900) {
    watch.noteRunning();
  }
  expect(watch.pausedSince(0)).toBe(0);
});
