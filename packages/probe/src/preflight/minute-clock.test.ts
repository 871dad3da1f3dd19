import { expect, test } from "vitest";
import { showsMinute, untilNextMinute } from "./minute-clock.ts";

const at = Date.UTC(2026, 10, 27, 10, 42, 31, 250);

test.each([
  ["<p>It is 10:42 now</p>", true],
  ["<p>It is 3:42 PM in another time zone</p>", true],
  ['{"at":"2026-11-27T10:42Z"}', true],
  ['{"at":"2026-11-27T10:42:00.000Z"}', true],
  ['{"minute":1795776120000}', true],
  ['{"minute":1795776120}', true],
  ["<p>It is 10:41 now</p>", false],
  ["10:42:31 has seconds, which are found without waiting", false],
  ["1:10:42 is a duration", false],
  ["99:42 is no time", false],
  ['{"at":1795776151250}', false],
])("%s shows the minute: %s", (text, shows) => {
  expect(showsMinute(text, at)).toBe(shows);
});

test("the next minute begins at most a minute later", () => {
  expect(untilNextMinute(at)).toBe(28_750);
  expect(untilNextMinute(at - 31_250)).toBe(60_000);
});
