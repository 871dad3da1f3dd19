import { expect, test } from "vitest";
import { formatDuration, terminalLine, terminalText } from "./text.ts";

test.each([
  ["colours", "a\u001b[31mb\u001b[0mc", "abc"],
  ["a screen that is wiped", "a\u001b[2J\u001b[1;1Hb", "ab"],
  ["a title that is set", "a\u001b]0;title\u0007b\u001b]8;;https://x.test\u001b\\c", "abc"],
  ["sequences of eight bits", "a\u009b2Jb\u009d0;title\u009cc", "abc"],
  ["a sequence without an end", "a\u001b", "a "],
  ["a line that is written over", "passed\rfailed", "passed failed"],
  ["backspaces, bells and nulls", "a\b\u0007\u0000b", "a   b"],
  ["directions that are turned around", "a\u202eb\u2066c\u200fd\u061ce", "a b c d e"],
  [
    "commands to a CI's runner",
    "a ##[stop-commands]b ##vso[task.complete]c",
    "a # #[stop-commands]b # #vso[task.complete]c",
  ],
  ["other alphabets, which stay", "日本語 عربي Ωß 🙂 – ×", "日本語 عربي Ωß 🙂 – ×"],
])("a terminal is safe from %s", (_, text, expected) => {
  expect(terminalText(text)).toBe(expected);
});

test("lines stay lines in a text, and not in a line", () => {
  expect(terminalText("a\nb")).toBe("a\nb");
  expect(terminalLine("a\nPreflight passed")).toBe("a Preflight passed");
});

test.each([
  [849.6, "850 ms"],
  [999.6, "1 s"],
  [12_400, "12 s"],
  [59_600, "1 min"],
  [92_000, "1 min 32 s"],
])("%d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
