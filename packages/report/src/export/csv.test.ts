import { expect, test } from "vitest";
import { analysedWithCpu } from "../../test/synthetic.ts";
import { summaryOf } from "../summary.ts";
import { renderCsv } from "./csv.ts";

test("summary.csv has one line for each case and target, whose numbers are those of summary.json with four digits", () => {
  const data = analysedWithCpu({ trials: 3, rounds: 20 });
  const summary = summaryOf(data);
  const [head = "", ...lines] = renderCsv(summary, data.run).trimEnd().split("\r\n");
  const names = head.split(",");
  expect(names).toEqual(
    [
      "case,title,platform,target,compared_with,time_ms,change_percent,low_percent,high_percent,verdict,low_90_percent,high_90_percent",
      "cpu_time_ms,cpu_change_percent,cpu_low_percent,cpu_high_percent,cpu_verdict,cpu_low_90_percent,cpu_high_90_percent",
      "cold_start_ms,first_answer_ms,first_answer_change_percent,first_answer_low_percent",
      "first_answer_high_percent,first_answer_verdict,usd_per_million_cpu,usd_per_million_requests",
      "requests,trials,run,date,machine",
    ]
      .join()
      .split(","),
  );
  const headlines = summary.rows.filter(({ headline }) => headline);
  // A title with a comma is quoted.
  const cellsOf = (line: string) => line.replace(/"[^"]*"/, "quoted").split(",");
  expect(lines.length).toBe(headlines.length);
  for (const [index, row] of headlines.entries()) {
    const cells = cellsOf(lines[index] ?? "");
    const cellOf = (name: string) => cells[names.indexOf(name)];
    expect(cells.length).toBe(names.length);
    expect([cellOf("case"), cellOf("target"), cellOf("verdict")]).toEqual([
      row.caseId,
      row.target,
      row.verdict ?? "",
    ]);
    expect(Number(cellOf("time_ms"))).toBe(Number(row.medianMs?.toPrecision(4)));
    const change = row.ratio === null ? "" : String(Number((100 * (row.ratio.estimate - 1)).toPrecision(4)));
    expect(cellOf("change_percent")).toBe(change);
    const narrow =
      row.equivalence == null ? "" : String(Number((100 * (row.equivalence.low - 1)).toPrecision(4)));
    expect(cellOf("low_90_percent")).toBe(narrow);
    expect([cellOf("run"), cellOf("date"), cellOf("machine")]).toEqual([
      "synthetic",
      data.run.startedAt.slice(0, 10),
      "A synthetic processor",
    ]);
  }
});

test("summary.csv says of a case that a cache answers why it has no verdict, and has no such column otherwise", () => {
  const data = analysedWithCpu({ trials: 3, rounds: 20 });
  const summary = summaryOf(data);
  const [first] = summary.rows;
  const words = "It is prerendered: the build made it, and no platform renders it.";
  const rows = summary.rows.map((row) => (row.caseId === first?.caseId ? { ...row, cached: words } : row));
  const [head = "", ...lines] = renderCsv({ ...summary, rows }, data.run)
    .trimEnd()
    .split("\r\n");
  expect(head).toContain(",cached,requests,");
  for (const line of lines) {
    expect(line.includes(`,"${words}",`)).toBe(line.startsWith(`${first?.caseId},`));
  }
  expect(renderCsv(summary, data.run).split("\r\n")[0]).not.toContain("cached");
});
