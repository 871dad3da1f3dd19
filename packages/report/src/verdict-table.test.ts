import { expect, test } from "vitest";
import { analysed, analysedWithCpu } from "../test/synthetic.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { percentileTable, tableNote } from "./verdict-table.ts";

test("percentiles are shown of what has enough requests for them, and no column is empty", () => {
  expect(percentileTable(analysed({ rounds: 10 }))).toBeNull();
  expect(renderMarkdown(analysed({ rounds: 10 }))).not.toContain("p95");
  const some = percentileTable(analysed({ rounds: 40 }));
  expect(some?.head).toEqual(["Case", "Platform", "p50", "p95"]);
  expect(some?.rows.length).toBe(4 * 3);
  expect(percentileTable(analysed({ rounds: 120 }))?.head).toEqual(["Case", "Platform", "p50", "p95", "p99"]);
});

test("the note says what a time is, and of CPU time how it can exceed one only where it does", () => {
  const usual = tableNote(analysedWithCpu({ rounds: 20 }));
  expect(usual).toContain(
    "Time until the last byte: the median of each trial (a fresh start), averaged over 5 trials. −",
  );
  expect(usual).not.toContain("CPU time");
  const more = analysedWithCpu({ rounds: 20 }, ({ lastByteMs }) => 1.2 * (lastByteMs ?? 0));
  expect(tableNote(more)).toContain("CPU time adds up all threads, so that it can exceed the time.");
});
