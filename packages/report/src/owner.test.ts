import { expect, test } from "vitest";
import { analysed, analysedWithCpu } from "../test/synthetic.ts";
import type { ReportData } from "./data.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderHtml, renderTerminal } from "./index.ts";
import { ownerTables } from "./owner.ts";
import { costPartsOfMillion } from "./prices.ts";
import { summaryOf } from "./summary.ts";

const OWN_APP = {
  folder: "../shop",
  title: "Hono",
  on: [],
  envFiles: [],
  start: null,
  build: null,
  read: [],
  simulated: [],
};

function ofOwnApp(): ReportData {
  const data = analysedWithCpu({ rounds: 20 });
  return { ...data, run: { ...data.run, plan: { ...data.run.plan, ownApp: OWN_APP } } };
}

test("an owner's answer has CPU time with its verdict, costs, cold start and memory of each path on each platform, and sizes against limits", () => {
  const [paths, sizes] = ownerTables(ofOwnApp());
  const rows = paths?.table.rows ?? [];
  const page = rows.findIndex(([path]) => path === "/react-ssr");
  const [node, worker, vercel] = rows.slice(page, page + 3);
  expect([node?.[1], worker?.[1], vercel?.[1]]).toEqual(["node", "cloudflare", "vercel"]);
  expect(node?.slice(2)).toEqual([
    expect.stringMatching(/ ms$/),
    expect.stringMatching(/ ms$/),
    "baseline",
    "–",
    "151 ms",
    "150 MB",
  ]);
  expect(worker?.[4]).toMatch(/^\S .+ %/);
  expect(worker?.[5]).toMatch(/^\$0\.\d+ \+ \$0\.30$/);
  expect(sizes?.table.rows).toContainEqual(["cloudflare", "2.74 MB", "824 KB", "8.2 % of 10 MB compressed"]);
});

test("a million requests cost their CPU time by the hour's price, and the requests' price on top", () => {
  const price = { title: "Plan", stated: "stated", readOn: "2026-11-21", source: "https://prices.example/" };
  const about = {
    shortTitle: "Worker",
    spoken: "Worker",
    colour: null,
    isHosted: true,
    cpuAccountant: null,
    cpuPrice: { ...price, usdPerCpuHour: 0.072 },
    requestPrice: { ...price, usdPerMillion: 0.3 },
  };
  // A million requests of 7 ms are 7,000 s, or 1.944 hours.
  expect(costPartsOfMillion({ platform: "cloudflare", about }, 7)).toEqual({
    cpuUsd: expect.closeTo(0.14, 10),
    requestsUsd: 0.3,
  });
  expect(costPartsOfMillion({ platform: "node" }, 7)).toEqual({ cpuUsd: null, requestsUsd: null });
});

test("every form of the report of an own app has the owner's answer, and that of other runs has none", () => {
  const own = ofOwnApp();
  const other = analysed({ rounds: 20 });
  const forms = [
    (data: typeof own) => renderTerminal(data, { width: 100, color: false }),
    renderMarkdown,
    renderHtml,
  ];
  for (const render of forms) {
    expect(render(own)).toContain("$ a million: CPU time + requests");
    expect(render(other)).not.toContain("$ a million");
  }
  const { rows, sizes } = summaryOf(own);
  expect(sizes?.vercel).toMatchObject({ bytes: 2_741_260 });
  expect(rows.find(({ caseId, target }) => caseId === "react-ssr" && target === "cloudflare")).toMatchObject({
    coldStartMs: 191,
    usdPerMillion: { requests: 0.3, cpu: expect.any(Number) },
  });
});
