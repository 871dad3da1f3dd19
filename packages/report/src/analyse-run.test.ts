import { SampleTable } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { analysed, syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { analyseRun, renderHtml, renderMarkdown, renderSoFar, renderTerminal } from "./index.ts";

const plainOutput = { width: 100, color: false };

describe("analyseRun", () => {
  test("finds the differences that were put into the samples, and no others", () => {
    const verdicts = analysed({}).cases.map(({ manifest, headline }) => [
      manifest.id,
      ...(headline?.comparisons.map(({ target, verdict }) => `${target} ${verdict}`) ?? []),
    ]);
    expect(verdicts).toEqual([
      ["empty", "cloudflare slower", "vercel slower"],
      ["react-ssr", "cloudflare same", "vercel slower"],
      ["trig", "cloudflare slower", "vercel same"],
      ["react-ssr-native", "cloudflare faster", "vercel same"],
    ]);
  });

  test("says inconclusive where too little was measured", () => {
    const data = analysed({ trials: 1, rounds: 3 });
    // It was measured against its copy, only not often enough.
    expect(renderHtml(data)).not.toContain("no A/A control");
    const { cases } = data;
    for (const { headline } of cases) {
      expect(headline?.comparisons.map(({ verdict }) => verdict)).toEqual(["inconclusive", "inconclusive"]);
    }
  });

  test("while a run goes on the same table says what is known so far, of one trial without an interval", () => {
    const soFar = (trials: number) => {
      const { run, cases } = analysed({ trials });
      return renderSoFar(
        run,
        cases.flatMap(({ headline }) => headline ?? []),
        plainOutput,
      );
    };
    const [title, head, ...rows] = soFar(1);
    expect([title, head?.split(/ +/)]).toEqual([
      "So far, after 1 trial of each case:",
      expect.arrayContaining(["case", "cloudflare", "vercel"]),
    ]);
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatch(/^empty +\S about \+\d+ % +\S about \+\d+ %$/);
    const closing = renderTerminal(analysed({ trials: 3 }), plainOutput).split("\n");
    for (const line of soFar(3).slice(1)) expect(closing).toContain(line);
  });

  test("a run without any sample has no results and says which cases", () => {
    const data = analyseRun(syntheticRun({}), new SampleTable());
    expect(data.summary.compared).toBe("Nothing was measured.");
    expect(data.warnings[0]?.details).toEqual(["empty", "react-ssr", "trig", "react-ssr-native"]);
    for (const render of [renderHtml, renderMarkdown])
      expect(render(data)).toContain("Nothing was measured.");
    expect(renderTerminal(data, plainOutput)).toContain("Nothing was measured.");
  });

  test("what voids a result is told before what asks for caution", () => {
    const event = { atMs: 1, caseId: "trig", target: "vercel", trial: 0, detail: "" };
    const events = (["warmup-unstable", "pin-allowed", "target-dropped"] as const).map((kind) => ({
      ...event,
      kind,
    }));
    const severities = analysed({ rounds: 60, events, failEvery: 3 }).warnings.map(
      ({ severity }) => severity,
    );
    expect(severities).toEqual(["void", "caution", "caution", "caution"]);
  });

  test("without an A/A copy the first target of an app is the baseline, and the report says that there is no control", () => {
    const full = syntheticRun({});
    const targets = full.plan.targets.filter(({ copyOf }) => copyOf === null);
    const run = { ...full, plan: { ...full.plan, targets } };
    const data = analyseRun(run, SampleTable.from(syntheticSamples(run, { rounds: 10 })));
    expect(data.cases[0]).toMatchObject({ baseline: "node", headline: { control: null, noiseFloor: null } });
    expect(data.summary.control).toMatch(/no A\/A control/);
    for (const render of [renderHtml, renderMarkdown]) expect(render(data)).toContain("no A/A control");
  });

  test("one target alone is reported without a comparison", () => {
    const full = syntheticRun({});
    const run = { ...full, plan: { ...full.plan, targets: full.plan.targets.slice(0, 1) } };
    const data = analyseRun(run, SampleTable.from(syntheticSamples(run, { rounds: 10 })));
    expect(data.summary).toMatchObject({ answer: null, compared: "node ran 4 workloads alone." });
    expect(renderHtml(data)).toContain("node ran 4 workloads alone.");
    expect(renderTerminal(data, plainOutput)).toMatch(/^empty +node +0\.\d+ ms/m);
  });

  test("targets of another app are not compared with those of this one", () => {
    const full = syntheticRun({});
    const other = {
      name: "next-node",
      app: "next",
      platform: "node",
      place: "local",
      url: null,
      copyOf: null,
    } as const;
    const page = { ...full.plan.cases[0], id: "next-page" } as (typeof full.plan.cases)[number];
    const plan = { ...full.plan, cases: [...full.plan.cases, page], targets: [...full.plan.targets, other] };
    const run = { ...full, plan };
    const samples = SampleTable.from(syntheticSamples(full, { rounds: 10 }));
    for (const sample of samples.ofCase("empty")) {
      if (sample.target === "node") samples.push({ ...sample, caseId: "next-page", target: "next-node" });
    }
    const { cases } = analyseRun(run, samples);
    expect(cases[0]?.targets).toEqual(["node", "cloudflare", "vercel", "node~copy"]);
    expect(cases.at(-1)).toMatchObject({ baseline: "next-node", targets: ["next-node"] });
  });

  test.each([
    ["node", ["node 0", "cloudflare 1", "vercel 2", "copy 0"]],
    ["vercel", ["vercel 2", "node 0", "cloudflare 1", "copy 2"]],
  ])(
    "with %s as the baseline it comes first, and each platform keeps its colour, wherever the plan names it",
    (baseline, expected) => {
      const full = syntheticRun({});
      const originals = full.plan.targets.filter(({ copyOf }) => copyOf === null);
      const [copied] = originals.filter(({ name }) => name === baseline);
      if (copied === undefined) throw new Error("The baseline is missing.");
      const copy = { ...copied, name: "copy", copyOf: baseline };
      const run = { ...full, plan: { ...full.plan, targets: [copy, ...originals.toReversed()] } };
      const { targets } = analyseRun(run, new SampleTable());
      expect(targets.map(({ name, colour }) => `${name} ${colour}`)).toEqual(expected);
    },
  );

  test("a control so noisy that little can be told is said", () => {
    const run = syntheticRun({});
    const noisy = SampleTable.from(
      [...syntheticSamples(run, { rounds: 10 })].map((sample) => ({
        ...sample,
        // Longer times need more room.
        startedAtMs: 3 * sample.startedAtMs,
        lastByteMs:
          sample.target === "node~copy" && sample.lastByteMs !== null
            ? sample.lastByteMs * (1 + 0.3 * sample.trial)
            : sample.lastByteMs,
      })),
    );
    expect([...new Set(analyseRun(run, noisy).warnings.map(({ title }) => title))]).toEqual([
      "A target differs from its own copy",
    ]);
    expect(analysed({}).warnings).toEqual([]);
  });

  test("failed exchanges are counted by target and kind", () => {
    const { cases } = analysed({ rounds: 20, failEvery: 10 });
    expect(cases[0]?.errors).toEqual([
      { target: "cloudflare", kind: "length", count: 10, example: "99 bytes instead of 100" },
    ]);
  });
});
