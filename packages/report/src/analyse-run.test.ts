import { formatChange, formatMsInterval, formatRatio } from "@evenbench/page";
import { type RunTarget, type Sample, SampleTable } from "@evenbench/results";
import { exampleRun } from "@evenbench/results/testing";
import { expect, test } from "vitest";
import { analysed, analysedApps, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { analyseRun } from "./analyse-run.ts";
import { cardOf, drawSvg } from "./card/card.ts";
import { renderCsv } from "./export/csv.ts";
import { renderMarkdown } from "./export/markdown.ts";
import { renderHtml, renderSoFar, renderTerminal, suggestedCommands } from "./index.ts";
import { runtimeVersions, whatRan } from "./names.ts";
import { summaryOf } from "./summary.ts";

const plainOutput = { width: 100, color: false };
const among = (change: (targets: readonly RunTarget[]) => readonly RunTarget[]) =>
  analysed({ rounds: 10 }, (run) => ({ ...run, plan: { ...run.plan, targets: change(run.plan.targets) } }));

test("a report finds the differences that were put into the samples, and no others; against another target a ratio is the inverse", () => {
  const data = analysed({});
  expect(data.notices).toEqual([]);
  const verdicts = data.cases.map(({ manifest, headline }) => [
    manifest.id,
    ...(headline?.comparisons.map(({ target, verdict }) => `${target} ${verdict}`) ?? []),
  ]);
  expect(verdicts).toEqual([
    ["empty", "cloudflare slower", "vercel slower"],
    ["react-ssr", "cloudflare same", "vercel slower"],
    ["react-ssr-native", "cloudflare faster", "vercel same"],
    ["trig", "cloudflare slower", "vercel same"],
  ]);

  const [first] = data.cases;
  const { estimate, low, high } = first?.headline?.comparisons[0]?.ratio ?? { estimate: 0, low: 0, high: 0 };
  const { headline } = first?.against.find(({ baseline }) => baseline === "cloudflare") ?? {};
  expect(headline).toMatchObject({ baseline: "cloudflare", control: null, noiseFloor: null });
  expect(headline?.comparisons).toMatchObject([
    { target: "node", verdict: "faster", ratio: { estimate: 1 / estimate, low: 1 / high, high: 1 / low } },
    { target: "vercel", baseline: "cloudflare", verdict: "faster" },
  ]);
});

test("a report says unclear where too little was measured, and that there is a control all the same", () => {
  const data = analysed({ trials: 1, rounds: 3 });
  for (const { headline } of data.cases) {
    expect(headline?.comparisons.map(({ verdict }) => verdict)).toEqual(["unclear", "unclear"]);
  }
  expect(data.summary.control).toContain("no case has enough trials");
});

const DROPPED = { atMs: 1, kind: "target-dropped", caseId: "trig", target: "cloudflare", trial: 1 } as const;

test.each([
  ["was dropped after it answered for a while", 0],
  ["has no measured answer", 1],
])(
  "a target that %s has no result, in every form of the report, and no advice to measure longer",
  (_, failEvery) => {
    const detail = "cloudflare was dropped from trig: HTTP 500 in 12 of 30 requests.";
    const isFailed = ({ caseId, target, phase }: Sample) =>
      failEvery === 1 && caseId === "trig" && target === "cloudflare" && phase === "measure";
    const run = syntheticRun({ events: [{ ...DROPPED, detail }] });
    const error = { kind: "status", detail: "HTTP 500" } as const;
    const samples = Array.from(syntheticSamples(run, {}), (sample) =>
      isFailed(sample) ? { ...sample, error, firstByteMs: null, lastByteMs: null } : sample,
    );
    const data = analyseRun(run, SampleTable.from(samples));
    const trig = data.cases.find(({ manifest }) => manifest.id === "trig");
    expect(trig?.headline?.comparisons[0]).toMatchObject({
      target: "cloudflare",
      verdict: "no result",
      ratio: null,
    });
    expect(trig?.cpu.find(({ target }) => target === "cloudflare")?.ratio ?? null).toBeNull();
    expect(renderTerminal(data, plainOutput)).toMatch(/^trig +✕ no result +\S/m);
    expect(renderMarkdown(data)).toMatch(/^\| +\| Cloudflare's workerd .*✕\u00a0no\u00a0result/m);
    expect(renderHtml(data)).toContain("no result");
    expect(data.summary.sentences[0]).toContain("no result in 1");
    const summary = summaryOf(data);
    const rows = summary.rows.filter(({ caseId, target }) => caseId === "trig" && target === "cloudflare");
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(["no result"]));
    expect(renderCsv(summary, data.run)).toMatch(
      /^trig,Trigonometry,Cloudflare's workerd,cloudflare,.*,no result,/m,
    );
    const row = cardOf(data).rows.find(({ label }) => label === "Trigonometry");
    expect(row).toMatchObject({ mark: { verdict: "no result" }, value: "no result" });
    expect(suggestedCommands(data)).toEqual([]);
  },
);

test("where its baseline was dropped nothing of a case is judged", () => {
  const { cases } = analysed({
    events: [
      { ...DROPPED, target: "node", detail: "" },
      { ...DROPPED, target: "node~copy", detail: "" },
    ],
  });
  const trig = cases.find(({ manifest }) => manifest.id === "trig");
  expect(trig?.headline?.comparisons.map(({ verdict }) => verdict)).toEqual(["no result", "no result"]);
});

test("a smoke test compares nothing, in every form of the report", () => {
  const data = analysed({ rounds: 20 }, (run) => ({ ...run, plan: { ...run.plan, quick: true } }));
  const { sentences, answer } = data.summary;
  expect([sentences, answer]).toEqual([
    ["A smoke test (--quick): hardly anything was warmed up, so nothing was compared."],
    null,
  ]);
  for (const { headline, other, against, cpu, cold } of data.cases) {
    const compared = [headline, other].flatMap((analysis) => [
      ...(analysis?.comparisons ?? []),
      analysis?.control,
    ]);
    expect(compared.filter((comparison) => comparison != null)).toEqual([]);
    expect(against).toEqual([]);
    expect([...cpu, ...cold].filter(({ ratio }) => ratio !== null)).toEqual([]);
  }
  const summary = summaryOf(data);
  for (const { ratio, verdict, cpuRatio, computeRatio } of summary.rows) {
    expect([ratio, verdict, cpuRatio, computeRatio]).toEqual([null, null, null, null]);
  }
  const card = cardOf(data);
  expect([card.rows, card.isSmokeTest]).toEqual([[], true]);
  expect(drawSvg(card)).toContain("SMOKE TEST: NO RESULT");
  for (const text of [renderMarkdown(data), renderTerminal(data, plainOutput), renderHtml(data)]) {
    expect(text).toContain("nothing was compared");
    expect(text).not.toMatch(/[◀▶↔] [−+]?\d|\d× \(\d/);
  }
  expect(suggestedCommands(data)).toEqual([]);
});

test("a run whose end is before its start says so, names no duration, and is not damaged", () => {
  const data = analysed({ rounds: 10 }, (run) => ({ ...run, finishedAt: "2026-11-20T00:00:00.000Z" }));
  const titles = data.notices.map(({ title, severity }) => `${severity}: ${title}`);
  expect(titles).toContain("caution: The end of the run is before its start");
  expect(renderTerminal(data, plainOutput)).not.toContain("It took");
});

test("while a run goes on the same table says what is known so far, of one trial without an interval", () => {
  const soFar = (trials: number) => {
    const { run, cases } = analysed({ trials });
    const analyses = cases.flatMap(({ headline }) => headline ?? []);
    return renderSoFar(run, analyses, plainOutput);
  };
  const [title, , ...rows] = soFar(1);
  expect([title, rows.length]).toEqual(["So far, after 1 trial of each case, so without intervals:", 4]);
  expect(rows[0]).toMatch(/^empty +\S \+\d+ % \(1 trial\) +\S \+\d+ % \(1 trial\)$/);
  const closing = renderTerminal(analysed({ trials: 3 }), plainOutput).split("\n");
  for (const line of soFar(3).slice(1)) {
    expect(closing).toContain(line);
  }
});

test("while a run goes on nothing is said of a cache", () => {
  const { run, cases } = analysed({ trials: 3 });
  const analyses = cases.flatMap(({ headline }) => headline ?? []);
  const kept = run.plan.cases.map((manifest) => ({ ...manifest, cached: "It is a file." }));
  expect(renderSoFar({ ...run, plan: { ...run.plan, cases: kept } }, analyses, plainOutput)).toEqual([]);
});

test("a run without any sample has no results and says which cases", () => {
  const data = analyseRun(syntheticRun({}), new SampleTable());
  expect(data.notices[0]?.details).toEqual(["empty", "react-ssr", "react-ssr-native", "trig"]);
  const texts = [renderHtml(data), renderMarkdown(data), renderTerminal(data, plainOutput)];
  for (const text of texts) {
    expect(text).toContain("Nothing was measured.");
  }
});

test("what voids a result is told before what asks for caution; failed requests are counted by target and kind", () => {
  const event = { atMs: 1, caseId: "trig", target: "vercel", trial: 0, detail: "" };
  const kinds = ["warmup-unstable", "pin-allowed", "target-dropped"] as const;
  const data = analysed({ rounds: 60, events: kinds.map((kind) => ({ ...event, kind })), failEvery: 30 });
  const severities = data.notices.map(({ severity }) => severity);
  expect(severities).toEqual(["void", "caution", "caution", "caution"]);
  const failed = { target: "cloudflare", kind: "length", count: 10, detail: "99 bytes instead of 100" };
  expect(data.cases[0]?.errors).toMatchObject([failed]);
});

test("without an A/A copy the first target of an app is the baseline, and there is no control; one target alone has no comparison", () => {
  const data = among((targets) => targets.filter(({ copyOf }) => copyOf === null));
  expect(data.cases[0]).toMatchObject({ baseline: "node", headline: { control: null, noiseFloor: null } });
  for (const render of [renderHtml, renderMarkdown]) {
    expect(render(data)).toContain("no A/A control");
  }
  const alone = among((targets) => targets.slice(0, 1));
  expect(renderHtml(alone)).toContain("node ran 4 cases alone.");
  expect(renderTerminal(alone, plainOutput)).toMatch(/^empty +node +0\.\d+ ms/m);
});

test("targets of another app are not compared with those of this one, and a platform's colour is the same in every app", () => {
  const data = analysedApps(["bundle", "next"], { rounds: 5 });
  const names = ["node", "cloudflare", "vercel", "node~copy"].map((name) => `bundle-${name}`);
  expect(data.cases[0]?.targets).toEqual(names);
  expect(data.cases.at(-1)).toMatchObject({ baseline: "next-node" });
  const colours = { node: "c0", cloudflare: "c1", vercel: "c2" };
  const marks = renderHtml(data).matchAll(/class="target (c\d)[^>]*>(\w+-\w+)(?:~copy)?</g);
  for (const [, mark, name = ""] of marks) {
    expect([name, mark]).toEqual([name, colours[name.replace(/^\w+-/, "") as keyof typeof colours]]);
  }
});

test.each([
  ["node", ["node 0", "cloudflare 1", "vercel 2", "copy 0"]],
  ["vercel", ["vercel 2", "node 0", "cloudflare 1", "copy 2"]],
])("with %s as the baseline it comes first, wherever the plan names it", (baseline, expected) => {
  const { targets } = among((all) => {
    const originals = all.filter(({ copyOf }) => copyOf === null);
    const copies = originals.filter(({ name }) => name === baseline);
    return [...copies.map((copy) => ({ ...copy, name: "copy", copyOf: baseline })), ...originals.reverse()];
  });
  expect(targets.map(({ name, colour }) => `${name} ${colour}`)).toEqual(expected);
});

test("a control so noisy that little can be told is said", () => {
  const run = syntheticRun({});
  const noisy = Array.from(syntheticSamples(run, { rounds: 10 }), (sample) => ({
    ...sample,
    // Longer times need more room.
    startedAtMs: 3 * sample.startedAtMs,
    lastByteMs:
      sample.lastByteMs && sample.lastByteMs * (sample.target === "node~copy" ? 1 + 0.3 * sample.trial : 1),
  }));
  const titles = analyseRun(run, SampleTable.from(noisy)).notices.map(({ title }) => title);
  expect(new Set(titles)).toEqual(new Set(["A target differs from its own copy"]));
});

test("an interval that says nothing is not printed, and one that tells a side is, however wide", () => {
  expect(formatRatio({ estimate: 4.2, low: 0.01, high: 2890.77 })).toBe("interval too wide");
  expect(formatChange({ estimate: 4.2, low: 0.01, high: 2890.77 })).toBe("interval too wide");
  expect(formatRatio({ estimate: 9, low: 1.5, high: 40 })).toBe("9.00× (1.50–40.00)");
  expect(formatMsInterval(0.01, 2890)).toBe("interval too wide");
  expect(formatMsInterval(1, 2)).toBe("1.00 ms – 2.00 ms");
});

test("of versions runtimes come first, then frameworks, then adapters, each once; what ran is the runtimes, with their V8", () => {
  const runtimes = [
    [{ artifact: "15e0".repeat(16), "a.react": "19.3.1", "b.react": "19.3.1" }, "Node.js 24.21.0", "13.6"],
    [{ "a.react": "19.3.1" }, "workerd 1.20261117.1"],
    [{}, null],
  ] as const;
  const [example] = Object.values(exampleRun.identities);
  if (example === undefined) {
    throw new Error("the example has no identity");
  }
  const identities = Object.fromEntries(
    runtimes.map(([pins, runtime, v8], index) => {
      const facts = { runtime, v8: v8 ?? null, adapter: index === 0 ? "srvx 1.0.8" : null };
      return [index, { ...example, pins, facts }];
    }),
  );
  const versions = ["Node.js 24.21.0", "workerd 1.20261117.1", "react 19.3.1", "srvx 1.0.8"];
  expect(runtimeVersions({ identities }).map(({ name, version }) => `${name} ${version}`)).toEqual(versions);
  expect(whatRan({ identities })).toBe("Node.js 24.21.0 (V8 13.6) · workerd 1.20261117.1");
});
