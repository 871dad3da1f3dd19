import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatDuration, openRecord, shellOption, shellWord, terminalLine, terminalText } from "./basics.ts";

test.each([
  "n`;touch PWNED;`",
  "n';touch PWNED;'",
  "$(touch PWNED)",
  "~root",
  "=ls",
  "",
  "a b\n\u0003touch PWNED\n",
  "it's!\u202e\\x \u001b[2J é",
  "--config=evil.ts",
])("a shell reads %j as that word", (word) => {
  const text = shellWord(word);
  expect(text).toMatch(/^[^\p{C}]*$/u);
  const read = execFileSync("bash", ["-c", `printf %s ${text}`], { encoding: "utf8" });
  expect(read).toBe(word);
});

test("a value is no option of its own", () => {
  expect(shellOption("--allow", "--config=evil.ts")).toBe("--allow=--config=evil.ts");
  expect(shellOption("--case", "trig")).toBe("--case trig");
});

test.each([
  ["colours", "a\u001b[31mb\u001b[0mc", "abc"],
  ["a screen that is wiped", "a\u001b[2J\u001b[1;1Hb", "ab"],
  ["a title that is set", "a\u001b]0;title\u0007b\u001b]8;;https://x.test\u001b\\c", "abc"],
  ["sequences of eight bits", "a\u009b2Jb\u009d0;title\u009cc", "abc"],
  ["a sequence without an end", "a\u001b", "a "],
  ["a line that is written over", "passed\rfailed", "passed failed"],
  ["backspaces, bells and nulls", "a\b\u0007\u0000b", "a   b"],
  ["directions that are turned around", "a\u202eb\u2066c\u200fd\u061ce", "a b c d e"],
  ["other alphabets", "日本語 عربي Ωß 🙂 – ×", "日本語 عربي Ωß 🙂 – ×"],
])("%s", (_, text, expected) => {
  expect(terminalText(text)).toBe(expected);
});

test("lines stay lines in a text, and not in a line", () => {
  expect(terminalText("a\nb")).toBe("a\nb");
  expect(terminalLine("a\nPreflight passed")).toBe("a Preflight passed");
});

test.each([
  [849.6, "850 ms"],
  [12_400, "12 s"],
  [59_600, "1 min"],
  [92_000, "1 min 32 s"],
])("%d ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("a record of keys from outside finds nothing that it was not given, and everything that it was", () => {
  const record = openRecord<number>();
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect(record[name]).toBeUndefined();
  }
  const given = openRecord(["__proto__", "constructor"].map((name, index) => [name, index] as const));
  expect(Object.entries(given)).toEqual([
    ["__proto__", 0],
    ["constructor", 1],
  ]);
});
