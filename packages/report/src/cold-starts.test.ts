import { expect, test } from "vitest";
import { analysed, analysedWithCpu } from "../test/synthetic.ts";
import { renderCsv } from "./export/csv.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderTerminal } from "./index.ts";
import { summaryOf } from "./summary.ts";

test("cold starts that were asked for stand in every output, with their interval and verdict", () => {
  const data = analysedWithCpu({ rounds: 20 });
  const summary = summaryOf(data);
  const row = summary.rows.find(({ caseId, target }) => caseId === "react-ssr" && target === "cloudflare");
  expect(row).toMatchObject({
    coldStartMs: expect.any(Number),
    firstAnswerMs: expect.any(Number),
    firstAnswerRatio: { estimate: expect.any(Number) },
    firstAnswerVerdict: "faster",
  });
  expect(row?.firstAnswerMs).toBeGreaterThan(row?.coldStartMs ?? Number.POSITIVE_INFINITY);
  const terminal = renderTerminal(data, { width: 100, color: false });
  const markdown = renderMarkdown(data);
  for (const text of [terminal, markdown]) {
    expect(text).toContain("Cold start: from the start of a server's processes");
    expect(text).toMatch(/react-ssr[ |]+cloudflare[ |]+[\d.,]+ m?s[ |]+◀ −[\d.]+ % \(/);
  }
  const [head = "", ...lines] = renderCsv(summary, data.run).split("\r\n");
  const at = head.split(",").indexOf("first_answer_verdict");
  const line = lines.find((text) => text.includes("react-ssr") && text.includes("cloudflare")) ?? "";
  // A title with a comma is quoted.
  expect(line.replace(/"[^"]*"/, "quoted").split(",")[at]).toBe("faster");
});

test("where none were asked for, no output speaks of them", () => {
  const data = analysed({ rounds: 20 }, (run) => ({ ...run, coldStarts: [] }));
  for (const text of [renderTerminal(data, { width: 100, color: false }), renderMarkdown(data)]) {
    expect(text.toLowerCase()).not.toContain("cold start:");
  }
  expect(renderCsv(summaryOf(data), data.run)).not.toContain("first_answer");
});
