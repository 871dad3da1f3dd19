import { expect, test } from "vitest";
import { analysed, analysedWithCpu, withVerdict } from "../test/synthetic.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { caseMarks, caseMarksNote, percentileTable, tableNote, verdictTable } from "./verdict-table.ts";

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

test('with each "same" stands the 90 % interval by which it is judged, and what that is stands in the key', () => {
  const known = analysedWithCpu({ rounds: 20 });
  const cases = known.cases.map((report) => {
    const { headline, cpuTime } = report;
    if (headline === null || cpuTime === null) {
      throw new Error("The synthetic run measured every case.");
    }
    const comparisons = headline.comparisons.map((comparison) => {
      const ratio = { estimate: 0.99, low: 0.93, high: 1.055 };
      return { ...comparison, verdict: "same" as const, ratio, equivalence: { low: 0.956, high: 1.032 } };
    });
    return { ...report, headline: { ...headline, comparisons } };
  });
  const words = (text: string) => text.replaceAll("\u00a0", " ");
  const data = { ...known, cases };
  expect(words(renderMarkdown(data))).toContain("= same (90 % interval: −4 to +3 %)");
  const cells = verdictTable(data).rows.flatMap((row) => {
    const [, , , , verdict] = row;
    return typeof verdict === "object" && verdict.html !== undefined ? words(verdict.html.text) : [];
  });
  expect(
    cells.filter((cell) => cell.includes('<small class="judged">90 %: −4 to +3 %</small>')),
  ).toHaveLength(4 * 2);
  expect(tableNote(data)).toContain('With "same" stands the 90 % interval, by which it is judged.');
  expect(tableNote(withVerdict(analysed({ rounds: 20 }), "slower"))).not.toContain("90 %");
});

test("drift of most cases is said once, with their number, and each keeps its mark", () => {
  const { run, cases } = analysed({ rounds: 10 });
  const drifted = (most: number, of: number = cases.length) =>
    cases.slice(0, of).map((report, index) => {
      const audit = [
        {
          target: null,
          place: null,
          numbers: {},
          kind: "drift-apart",
          detail: "node became slower",
        } as const,
      ];
      return index < most ? { ...report, audit } : report;
    });
  expect(caseMarksNote(drifted(2), run)).toBe(
    "‡ Targets drifted apart while they were measured: read the case with care.",
  );
  expect(caseMarksNote(drifted(3), run)).toBe(
    "‡ In 3 of 4 cases targets drifted apart while they were measured: read this run with care.",
  );
  expect(caseMarksNote(drifted(4), run)).toBe(
    "‡ In all 4 cases targets drifted apart while they were measured: read this run with care.",
  );
  expect(caseMarksNote(drifted(2, 2), run)).toBe(
    "‡ In both cases targets drifted apart while they were measured: read this run with care.",
  );
  expect(drifted(3).map((report) => caseMarks(report, run))).toEqual([" ‡", " ‡", " ‡", ""]);
});
