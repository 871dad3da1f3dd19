import type { Run, RunTarget, Sample } from "@evenbench/results";
import { describe, expect, test } from "vitest";
import { syntheticRun, syntheticSamples } from "../test/synthetic.ts";
import { fitMetrics } from "./analysed-case.ts";
import { selectCase, unprovenCases } from "./case-data.ts";

const OPTIONS = { rounds: 6, trials: 3 };
const run = syntheticRun(OPTIONS);
const all = [...syntheticSamples(run, OPTIONS)];
const trig = run.plan.cases.find(({ id }) => id === "trig") as Run["plan"]["cases"][number];
const samplesOfTrig = all.filter(({ caseId }) => caseId === "trig");
const selected = (changed: Run = run, samples: readonly Sample[] = samplesOfTrig) =>
  selectCase(changed, changed.plan.targets, trig, samples);
const event = (kind: Run["events"][number]["kind"], target: string | null): Run["events"][number] => ({
  atMs: 0,
  kind,
  caseId: "trig",
  target,
  trial: null,
  detail: "",
});

describe("of a case is selected", () => {
  test("its targets, which are those of the apps that served it", () => {
    const other: RunTarget = { ...(run.plan.targets[0] as RunTarget), name: "next-node", app: "next" };
    const { names, baseline } = selectCase(run, [other, ...run.plan.targets], trig, samplesOfTrig);
    expect(names).toEqual(["node", "cloudflare", "vercel", "node~copy"]);
    expect(baseline).toBe("node");
  });

  test("the part of each list of the run that is of it", () => {
    const usage = selected().onlyThisCase(run.usage);
    expect(usage).toHaveLength(run.usage.length / run.plan.cases.length);
    expect(new Set(usage.map(({ caseId }) => caseId))).toEqual(new Set(["trig"]));
  });

  test("no figure that mixes trials where several places measured", () => {
    expect(selected().samplesForFigures).toBe(samplesOfTrig);
    expect(selected({ ...run, vantages: [] }).samplesForFigures).toEqual([]);
  });
});

describe("the statistics are asked", () => {
  test("only for metrics that a measured exchange without an error has", () => {
    expect(fitMetrics(selected()).map(({ question }) => question.metric)).toEqual([
      "firstByteMs",
      "lastByteMs",
    ]);
    const error = { kind: "status", detail: "500" } as const;
    const failed = samplesOfTrig.map((sample) => ({ ...sample, error }));
    expect(fitMetrics(selected(run, failed))).toEqual([]);
  });

  test("to compare with the mean of the baseline and its copy, and nothing in a smoke test", () => {
    expect(selected().question("lastByteMs")).toMatchObject({
      caseId: "trig",
      metric: "lastByteMs",
      baseline: "node",
      copy: "node~copy",
      compares: true,
    });
    const quick: Run = { ...run, plan: { ...run.plan, quick: true } };
    expect(selected(quick).question("lastByteMs").compares).toBe(false);
  });

  test("to judge no target that was dropped from this case", () => {
    const events = [event("target-dropped", "vercel"), event("error-budget", "cloudflare")];
    expect(selected({ ...run, events }).question("lastByteMs").dropped).toEqual(new Set(["vercel"]));
  });
});

test("cases whose answers differed are named by their events", () => {
  expect(unprovenCases({ events: [] })).toEqual(new Set());
  expect(unprovenCases({ events: [event("work-unproven", null), event("interrupted", null)] })).toEqual(
    new Set(["trig"]),
  );
});
