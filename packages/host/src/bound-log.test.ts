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
