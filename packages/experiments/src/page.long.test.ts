import { faultsOf, inBrowser, NO_FAULTS, openPage } from "@evenbench/report/testing";
import type { ExperimentResult, ExperimentsRun, Figure, PartVerdict, RunMachine } from "@evenbench/results";
import { exampleRun } from "@evenbench/results/testing";
import { describe, expect, test } from "vitest";
import { measured } from "../test/measured.ts";
import { leadFigure, renderExperimentsHtml, renderExperimentsTerminal } from "./page.ts";

const VERDICTS: readonly PartVerdict[] = ["reproduced", "not reproduced", "reversed", "unclear"];
const ratio = { estimate: 2, low: 1.9, high: 2.1 };

/** A result with something in every place, and `text` where data brings its own words. */
function result(id: string, verdict: PartVerdict, text: string): ExperimentResult {
  const plan = { id: "pair", caseId: "math", sides: ["a", "b"].map((name) => ({ name, target: "node" })) };
  const { sides, contrasts, ...pair } = measured(plan, () => ratio);
  return {
    id,
    verdict,
    title: `A claim ${text}`,
    claim: `Something was said. ${text}`,
    source: { title: `A text ${text}`, publisher: "Somebody", date: "2025-10" },
    published: `2× ${text}`,
    reason: `Because of this. ${text}`,
    figures: [
      { label: `time ${text}`, unit: "ratio", value: ratio, verdict, note: text },
      { label: "bytes", unit: "bytes", value: null, verdict: null, note: "not told" },
    ],
    loads: ["a-claim/20261129-093015-3fa9"],
    comparisons: [{ ...pair, unmeasured: [{ name: "c", why: text }] }],
    versions: { "Node.js": "24.21.0", workerd: id === "one" ? "1.1" : "1.2" },
    startedAt: "2026-11-21T08:00:00.000Z",
    durationMs: 60_000,
  };
}

function runOf(text: string): ExperimentsRun {
  const ids = ["one", "two", "three", "four"];
  return {
    schemaVersion: 3,
    id: "20261121-080000",
    startedAt: "2026-11-21T08:00:00.000Z",
    finishedAt: null,
    status: "interrupted",
    unfinished: "four",
    evenbenchVersion: "0.1.0",
    seed: 1,
    timeMs: 60_000,
    machine: { ...(exampleRun.machine as RunMachine), cpuModel: `A processor ${text}` },
    results: VERDICTS.map((verdict, index) => result(ids[index] ?? "", verdict, text)),
  };
}

test("the terminal has each claim with its figures, then one line for each", () => {
  const text = renderExperimentsTerminal(runOf("plain"), { width: 100, color: false });
  expect(text).toContain("  ours: time plain: 2.00× (1.90–2.10) (reproduced)\n");
  expect(text).toContain("This run was interrupted while four was measured;");
  expect(text).toMatch(/^two +2\.00× \(1\.90–2\.10\) +✕ not reproduced$/m);
});

test("the figure that stands for a claim is one with the claim's verdict", () => {
  const base = result("one", "unclear", "");
  const [first] = base.figures as [Figure];
  const mixed = { ...base, figures: [{ ...first, verdict: "reproduced" as const }, first] };
  expect(leadFigure(mixed)).toBe(first);
  expect(leadFigure({ ...base, figures: [] })).toBeNull();
});

describe("experiments.html in a browser", inBrowser(), () => {
  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)(
    "fits, loads nothing, and axe finds no violation in %s mode at %i pixels",
    async (scheme, width) => {
      const opened = await openPage(renderExperimentsHtml(runOf("plain words")), width, scheme);
      expect(await faultsOf(opened)).toEqual(NO_FAULTS);
    },
  );

  test("hostile text from data stays text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const { page, trouble } = await openPage(renderExperimentsHtml(runOf(hostile)));
    expect(await page.title()).toMatch(/^Of 4 published claims: 1 reproduced, /);
    expect(await page.locator("img, script").count()).toBe(0);
    expect(await page.locator("h3").first().textContent()).toContain(hostile);
    expect(trouble).toEqual([]);
  });
});
