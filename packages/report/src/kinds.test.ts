import { testSample } from "@evenbench/stats/testing";
import { expect, test } from "vitest";
import { analysedWithCpu, type CpuOf, STEADY_CPU } from "../test/synthetic.ts";
import measured from "../test-data/warm-exchanges.json" with { type: "json" };
import { cardOf } from "./card/card.ts";
import type { ReportData } from "./data.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderTerminal } from "./export/terminal.ts";
import { shareText } from "./export/texts.ts";
import { renderHtml } from "./html/page.ts";
import { kindsByTarget, kindsOf } from "./kinds.ts";
import { summaryOf } from "./summary.ts";

/** CPU time of exchanges of warm instances, two of each target, on one core. */
const ofMeasured = (name: string) => measured.find((target) => target.name === name)?.cpuMs ?? [];

test.each([
  // A collection in every second one.
  ["react-ssr on cloudflare", 13, 22.8, 0.49],
  ["sveltekit-page on cloudflare", 13.4, 36.5, 0.6],
  ["sveltekit-page on node", 24.4, 51.9, 0.7],
])("measured exchanges of %s come in two kinds", (name, low, high, share) => {
  const { ofExchanges, ofInstances } = kindsOf(ofMeasured(name), "cpuMs");
  const { lowMs = 0, lowCount: often = 0, highMs = 0, highCount: seldom = 0 } = ofExchanges ?? {};
  expect(Math.abs(lowMs / low - 1)).toBeLessThan(0.03);
  expect(Math.abs(highMs / high - 1)).toBeLessThan(0.03);
  expect(Math.abs(often / (often + seldom) - share)).toBeLessThan(0.08);
  expect(ofInstances).toBe(null);
});

test.each(["next-landing on node", "json-reviver on vercel", "trig on cloudflare", "next-api on vercel"])(
  "measured exchanges of %s are of one kind",
  (name) => expect(kindsOf(ofMeasured(name), "cpuMs").ofExchanges).toBe(null),
);

test("instances on two levels come in two kinds, and on one level, or where the others were not warm, in one", () => {
  const levels = [10, 10.1, 9.9, 10, 10.1, 9.9, 20, 20.1, 19.9];
  const samples = levels.flatMap((cpuMs, trial) =>
    Array.from({ length: 10 }, (_, roundIndex) => testSample({ trial, roundIndex, cpuMs })),
  );
  const kinds = (warm: Parameters<typeof kindsByTarget>[3]) =>
    kindsByTarget(samples, ["node"], "cpuMs", warm)[0]?.ofInstances;
  expect(kinds(new Map())).toMatchObject({ highMs: 20, highCount: 3 });
  const cold = new Map([6, 7, 8].map((trial) => [trial, { code: "still-falling" } as const]));
  expect(kinds(new Map([["node", cold]]))).toBe(null);
});

/** The collector runs in every second or third exchange of one target. */
const collecting =
  (every: number, extraMs: number): CpuOf =>
  (sample) => {
    const { caseId, target, roundIndex } = sample;
    if (caseId !== "react-ssr" || target !== "cloudflare") {
      return STEADY_CPU(sample);
    }
    return 13 + 0.1 * Math.sin(sample.startedAtMs) + (roundIndex % every === 0 ? extraMs : 0);
  };

const rowOf = (data: ReportData, caseId: string, target: string) =>
  summaryOf(data).rows.find((row) => row.caseId === caseId && row.target === target);

test("a target that comes in two kinds of exchanges, or of instances, is said to, in every report", () => {
  const data = analysedWithCpu({ rounds: 40 }, collecting(2, 10));
  const said = /has two speeds of requests: 50 % take 13\.0 ms and 50 % take 23\.0 ms of CPU time\./;
  const html = renderHtml(data);
  const markdown = renderMarkdown(data);
  for (const text of [html, markdown]) {
    expect(text.replaceAll("\\", "")).toMatch(said);
  }
  expect(markdown).toContain("react-ssr on **cloudflare**: has two speeds");
  const kinds = rowOf(data, "react-ssr", "cloudflare")?.exchangeKinds;
  expect(kinds).toMatchObject({ metric: "cpuMs", lowCount: 100, highCount: 100 });
  expect(rowOf(data, "react-ssr", "vercel")?.exchangeKinds).toBe(null);

  const instances = analysedWithCpu({ rounds: 20, trials: 10 }, (sample) => {
    const slow = sample.caseId === "trig" && sample.target === "vercel" && sample.trial % 2 === 0;
    return 30 * (1 + 0.02 * Math.sin(sample.startedAtMs)) * (slow ? 1.4 : 1);
  });
  expect(rowOf(instances, "trig", "vercel")?.instanceKinds).toMatchObject({ lowCount: 5, highCount: 5 });
  expect(renderMarkdown(instances)).toMatch(/trig on \*\*vercel\*\*: has two speeds of instances/);
});

test("a copy that differs is said, also where its control is noisy and CPU time still stands", () => {
  const differing = analysedWithCpu({ rounds: 20 }, undefined, (sample) => {
    const isSlower = sample.caseId === "trig" && sample.target === "node~copy" && sample.lastByteMs !== null;
    return isSlower ? { ...sample, lastByteMs: 1.3 * (sample.lastByteMs ?? 0) } : sample;
  });
  const trig = differing.cases.find(({ manifest }) => manifest.id === "trig");
  expect(trig?.headline?.noiseFloor).toBeGreaterThan(0.1);
  const { details = [] } =
    differing.notices.find(({ title }) => title === "A target differs from its own copy") ?? {};
  expect(details).toEqual([expect.stringMatching(/^trig: the baseline's own copy took .* more time$/)]);
  expect(differing.summary.control).toBe(
    "Check failed in 1 of 4 cases, trig (time): Node.js differed there from a copy of itself.",
  );
});

test("where a copy differs in CPU time alone, that is said, and CPU time decides nothing there", () => {
  const ofTrig = { node: 30, "node~copy": 40 } as Readonly<Record<string, number>>;
  const cpu: CpuOf = ({ caseId, target, startedAtMs }) => {
    const level = caseId === "trig" ? (ofTrig[target] ?? 90) : 30;
    return level * (1 + 0.01 * Math.sin(startedAtMs));
  };
  const data = analysedWithCpu({ rounds: 60, seed: 3 }, cpu);
  const { summary, cases, notices } = data;
  const differs = notices.find(({ title }) => title === "A target differs from its own copy");
  expect(differs?.details).toEqual([
    expect.stringMatching(/^trig: .*; so the verdicts on CPU time are withheld in this case$/),
  ]);
  expect(differs?.remedy).toMatch(/^Read trig with care, /);
  const { failedChecks = "" } = summaryOf(data);
  expect(failedChecks).toBe(summary.control);
  const note = "† Check failed: the baseline differed from its own copy.";
  const texts = { terminal: renderTerminal(data, { width: 120, color: false }), page: renderHtml(data) };
  expect(texts.terminal).toMatch(/^trig † /m);
  expect(texts.page).toContain("Trigonometry †</a>");
  expect(renderMarkdown(data)).toMatch(/^\| Trigonometry †, /m);
  for (const text of [...Object.values(texts), renderMarkdown(data)]) {
    expect(text).toContain(note);
    expect(text.replaceAll("\n  ", " ")).toContain(failedChecks);
  }
  expect(shareText({ run: data.run, summary: summaryOf(data) })).toContain(failedChecks);
  expect(cardOf(data).notes[1]).toBe(failedChecks);
  expect(cardOf(data).rows.map(({ label }) => label)).toContain("Trigonometry †");
  expect(texts.page).toContain("withheld: <small>the baseline differed from its own copy</small>");
  expect(summary.control).toBe(
    "Check failed in 1 of 4 cases, trig (CPU time): Node.js differed there from a copy of itself.",
  );
  const trig = cases.find(({ manifest }) => manifest.id === "trig");
  const verdicts = trig?.cpuTime?.comparisons.map(({ verdict }) => verdict);
  expect(verdicts).toEqual(["withheld", "withheld"]);
  expect(renderMarkdown(data)).toMatch(/^\|.*Cloudflare's workerd .*\| +✕\swithheld \|/m);
  expect(renderMarkdown(data)).toContain("✕ withheld: the baseline differed from its own copy");
  expect(trig?.headline?.comparisons).toHaveLength(2);
});

test("where only the times' control is noisy, the report says that CPU time still stands", () => {
  const cpu: CpuOf = ({ startedAtMs }) => 30 * (1 + 0.01 * Math.sin(startedAtMs));
  const noisy = analysedWithCpu({ rounds: 20 }, cpu, (sample) => {
    const isCopy = sample.caseId === "trig" && sample.target === "node~copy";
    const lastByteMs = sample.lastByteMs && sample.lastByteMs * (isCopy ? 1 + 0.2 * (sample.trial - 2) : 1);
    // Longer times need more room.
    return { ...sample, startedAtMs: 3 * sample.startedAtMs, lastByteMs };
  });
  const [{ title, details } = { title: "", details: [] }, ...others] = noisy.notices;
  expect([title, details.length, others]).toEqual(["The machine was busy, or changed its speed", 1, []]);
  expect(details[0]).toMatch(/^trig: .*; its CPU time, within \d.* %, still stands$/);
  expect(analysedWithCpu({ rounds: 60, seed: 3 }, cpu).notices).toEqual([]);
});

test("of warm-up is said from which exchange on a target is warm, where that was found, and what the first ones cost", () => {
  const data = analysedWithCpu({ rounds: 120 });
  const [trig] = data.cases.filter(({ manifest }) => manifest.id === "trig");
  const node = trig?.curves.find(({ target }) => target === "node");
  const [ten, hundred] = node?.first ?? [];
  expect(node?.warmFrom).toBe(6);
  // The synthetic warm-up: five exchanges of one and a half times the usual 30 ms.
  expect(ten?.lastByteMs).toBeGreaterThan(5 * 15 * 0.6);
  expect(ten?.lastByteMs).toBeLessThan(5 * 15 * 1.6);
  expect(renderHtml(data)).toContain("Dashed: warm from here.");
  expect(rowOf(data, "trig", "node")?.warmUp).toEqual({
    warmFromExchange: 6,
    first10Ms: ten?.lastByteMs,
    first10CpuMs: ten?.cpuMs,
    first100Ms: hundred?.lastByteMs,
    first100CpuMs: hundred?.cpuMs,
  });

  const unknown = analysedWithCpu({ rounds: 120 }, STEADY_CPU, (sample) => sample, null);
  expect(renderHtml(unknown)).not.toMatch(/warm from (here|request \d)/);
  expect(rowOf(unknown, "trig", "node")?.warmUp?.warmFromExchange).toBe(null);
});
