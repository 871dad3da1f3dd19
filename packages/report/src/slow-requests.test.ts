import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderHtml } from "./html/page.ts";
import { isOtherInSlowRequests, slowRequestsNote } from "./slow-requests.ts";
import { summaryOf } from "./summary.ts";

test.each([
  ["faster", 72, 66, true],
  ["faster", 60, 66, false],
  ["faster", 66.5, 66, false],
  ["slower", 60, 66, true],
  ["slower", 72, 66, false],
  ["same", 79, 66, true],
  ["same", 58, 66, true],
  ["same", 69, 66, false],
  ["unclear", 99, 66, false],
  ["faster", null, 66, false],
  ["faster", 72, null, false],
] as const)("%s by the median, with a p95 of %s ms against %s ms: another story %s", (...row) => {
  const [verdict, p95Ms, baselineMs, isOther] = row;
  expect(isOtherInSlowRequests({ verdict, p95Ms, baselineMs })).toBe(isOther);
});

test("where slow requests tell another story the case says so in page and Markdown, and the note below a table of medians names it", () => {
  const data = analysed({ rounds: 60 });
  const cases = data.cases.map((report) => {
    const { headline } = report;
    if (report.manifest.id !== "react-ssr" || headline === null) {
      return report;
    }
    const p95Of = { node: 40, cloudflare: 30, vercel: 50 } as Readonly<Record<string, number>>;
    const summaries = headline.summaries.map((summary) => ({
      ...summary,
      p95Ms: p95Of[summary.target] ?? summary.p95Ms,
    }));
    const comparisons = headline.comparisons.map((comparison) => ({
      ...comparison,
      verdict: comparison.target === "vercel" ? ("faster" as const) : ("unclear" as const),
    }));
    return { ...report, headline: { ...headline, summaries, comparisons } };
  });
  const told = { ...data, cases };
  const said =
    "is faster by its median, which is compared; its slow requests look otherwise: 95 of 100 take at most 50.0 ms, of node 40.0 ms.";
  expect(renderMarkdown(told)).toContain(`react-ssr on **vercel**: ${said}`);
  expect(renderHtml(told)).toContain(said);
  expect(slowRequestsNote({ run: data.run, summary: summaryOf(told) })).toContain(
    "95 of 100 take at most 50.0 ms on Vercel's adapter and 40.0 ms on Node.js (React page)",
  );
  expect(slowRequestsNote({ run: data.run, summary: { ...summaryOf(data), rows: [] } })).toBeNull();
});
