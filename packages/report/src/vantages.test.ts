import { summarySchema } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { analysedVantages } from "../test/synthetic.ts";
import { objectionsTo } from "./across/series.ts";
import { caseAnswers } from "./answer.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderHtml, renderTerminal, resultsTable } from "./index.ts";
import { summaryOf } from "./summary.ts";

const data = analysedVantages();
const plain = { width: 100, color: false };

describe("a run of several vantages", () => {
  test("answers in milliseconds where all agree, and says where they disagree", () => {
    expect(data.summary.answer).toMatch(
      /^Cloudflare's workerd: slower than Node\.js in 1 of 2 cases \([45]\.\d\d ms more time\), not decided in 1\. Vercel's host: the same as Node\.js in 2 of 2 cases\.$/,
    );
    const [first] = caseAnswers(data);
    expect(first).toMatch(/^react-ssr: against node, cloudflare slower, [45]\.\d+ ms \(4\.\d+ to 5/);
    expect(renderTerminal(data, plain)).toMatch(/^together .* the vantages disagree /m);
    expect(renderMarkdown(data)).toMatch(
      /cloudflare: The vantages disagree: asia −.* ms \(.*\), here −.*, us .*, oceania /,
    );
  });

  test("has no ratio, no interval and no figure that takes all trials together", () => {
    for (const text of [renderTerminal(data, plain), renderMarkdown(data), renderHtml(data)]) {
      expect(text.match(/\d×/g) ?? []).toEqual([]);
    }
    for (const { headline, computeTimes, kinds, against, quantiles } of data.cases) {
      expect([computeTimes, kinds, against, quantiles]).toEqual([[], [], [], []]);
      expect(headline?.comparisons.map(({ ratio }) => ratio)).toEqual([null, null]);
      expect(headline?.summaries.map(({ medianLowMs }) => medianLowMs)).toEqual([null, null, null, null]);
    }
  });

  test("tells requests of others from each vantage, by what instances counted", () => {
    const eu = { name: "eu", routeMs: 5, strangers: 7 };
    const { title, details } = analysedVantages([eu, { name: "us", routeMs: 50 }]).warnings[0] ?? {};
    expect(title).toBe("Others sent requests to the same instances");
    expect(details?.[0]).toMatch(/^react-ssr from eu: node's instances served 28 requests of others /);
    expect(details?.join()).not.toContain("from us");
  });

  test("of one vantage alone has no verdict, though each of its trials is sure", () => {
    const { cases } = analysedVantages([{ name: "here", routeMs: 2 }]);
    const [first] = cases[0]?.headline?.comparisons ?? [];
    expect(first?.verdict).toBe("inconclusive");
    expect(first?.reason).toMatch(/^Only one vantage, here, [45]\.\d+ ms \(4\.\d+ to 5\.\d+\) there/);
  });

  test("is read on its own: not compared, not in a history, and in no table of ratios; its summary has differences", () => {
    expect(objectionsTo(data.run)).toEqual([expect.stringContaining("several vantages")]);
    const summary = summarySchema.parse(summaryOf(data));
    expect(() => resultsTable({ run: data.run, summary })).toThrow(/differences in milliseconds/);
    const found = summary.rows.map((row) => [row.caseId, row.target, row.ratio, row.differenceMs?.estimate]);
    expect(found).toContainEqual(["react-ssr", "cloudflare", null, expect.closeTo(5, 0)]);
  });
});

test("each vantage has a row for each target, with what answered there", () => {
  const rows = data.cases[0]?.vantages?.rows ?? [];
  const names = ["asia", "here", "us", "brazil", "oceania"];
  expect(rows.map(({ vantage, target }) => `${vantage} ${target}`)).toEqual(
    names.flatMap((name) => data.targets.map(({ name: target }) => `${name} ${target}`)),
  );
  expect(rows.find(({ target }) => target === "cloudflare")).toMatchObject({
    exchanges: 80,
    errors: 0,
    connectMs: 110,
    edges: ["NRT"],
    instances: 1,
    medianMs: expect.closeTo(135, 0),
    computeMs: expect.closeTo(24, 0),
  });
});
