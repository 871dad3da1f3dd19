import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { testFolder } from "../test/folder.ts";
import { boundLog } from "./bound-log.ts";
import { quoteLog } from "./host-log.ts";

const folder = testFolder();

const MEGABYTE = 1024 * 1024;

test("a log that becomes too long keeps its head and its tail, and says how much is left out", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const file = join(folder, "chatty.log");
  writeFileSync(file, "");
  let logged = 0;
  const log = boundLog(file, (bytes) => {
    logged = bytes;
  });
  const line = `${"x".repeat(1023)}\n`;
  appendFileSync(file, "the first line\n");
  for (let turn = 0; turn < 5; turn++) {
    appendFileSync(file, line.repeat(10 * 1024));
    vi.advanceTimersByTime(1000);
    expect(statSync(file).size).toBeLessThan(3 * MEGABYTE);
  }
  appendFileSync(file, "the last line\n");
  log.close();
  const text = readFileSync(file, "utf8");
  expect(logged).toBe(50 * MEGABYTE + "the first line\nthe last line\n".length);
  expect(text.startsWith("the first line\n")).toBe(true);
  expect(text.endsWith("\nthe last line\n")).toBe(true);
  expect(text).toMatch(/\n\[evenbench: \d+ bytes are left out here\]\n/);
  // Whoever quotes what came behind a place of the log that was cut gets its end.
  expect(quoteLog(file, 10 * MEGABYTE)).toContain("the last line");
});

test("a log that stays short stays as it is", () => {
  const file = join(folder, "short.log");
  writeFileSync(file, "before\n");
  const log = boundLog(file, () => {});
  appendFileSync(file, "after\n");
  log.close();
  expect(readFileSync(file, "utf8")).toBe("before\nafter\n");
});

const FRAME = "    at resolve (node:internal/modules/esm/resolve:12:11)";

test.each<[what: string, log: readonly string[], quoted: readonly string[]]>([
  [
    "an error its words and the first frame of its stack",
    ["started", "Error: in use", ...Array(14).fill(FRAME), "    at file.mjs:3:1", "look"],
    ["started", "Error: in use", FRAME, "look"],
  ],
  [
    "an error with a cause the same of both",
    ["Error: a", FRAME, FRAME, "  [cause]: Error: b", `  ${FRAME}`, `  ${FRAME}`],
    ["Error: a", FRAME, "  [cause]: Error: b", `  ${FRAME}`],
  ],
  [
    "an error with fields the same, and these",
    ["Error: a", FRAME, `${FRAME} {`, "  code: 'E'", "}"],
    ["Error: a", FRAME, "  code: 'E'", "}"],
  ],
  [
    "an error with Windows' line ends the same",
    ["Error: a\r", `${FRAME}\r`, `${FRAME}\r`, "look\r"],
    ["Error: a", FRAME, "look"],
  ],
  [
    "a long log the end",
    Array.from({ length: 99 }, (_, index) => `line ${index}`),
    Array.from({ length: 15 }, (_, index) => `line ${84 + index}`),
  ],
])("of %s are quoted", (what, log, quoted) => {
  const file = join(folder, `${what}.log`);
  writeFileSync(file, log.join("\n"));
  expect(quoteLog(file)).toBe([`Last lines of ${file}:`, ...quoted.map((line) => `  | ${line}`)].join("\n"));
  expect(quoteLog(file, 0, 1).split("\n")).toHaveLength(2);
});

test.each([
  ["is empty", "", "is empty."],
  ["was removed meanwhile", null, "cannot be read (ENOENT)."],
])("a log that %s is named, and hides nothing else", (what, text, words) => {
  const file = join(folder, `${what}.log`);
  if (text !== null) {
    writeFileSync(file, text);
  }
  expect(quoteLog(file)).toBe(`${file} ${words}`);
});
