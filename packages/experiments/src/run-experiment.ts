import { join } from "node:path";
import { type Identity, messageOf } from "@evenbench/core";
import { type ComparisonResult, type ExperimentResult, type Outcome, readRun } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { compareSides } from "./compare.ts";
import type { Bench, ComparisonPlan, Experiment, LoadAnswer } from "./define.ts";
import { decided } from "./judge.ts";
import { loadSides } from "./load-sides.ts";

/**
 * Never throws for what goes wrong while measuring: the verdict is then "inconclusive", with the reason.
 *
 * @param time where the user gave it, warm-up ends with it, too.
 */
export async function runExperiment(
  experiment: Experiment,
  bench: Bench,
  time: { readonly ms: number; readonly isGiven: boolean },
): Promise<ExperimentResult> {
  const begun = performance.now();
  const { id, title, claim, source, published } = experiment;
  const shell = { id, title, claim, source, published, startedAt: new Date().toISOString() };
  const comparisons: ComparisonResult[] = [];
  const versions = () => versionsOf(bench.identities, comparisons);
  let outcome: Outcome;
  try {
    const measured = await measure(experiment, bench, time, comparisons);
    const byId = Object.fromEntries(comparisons.map((comparison) => [comparison.id, comparison]));
    outcome = decided(experiment, { comparisons: byId, ...measured, versions: versions() });
  } catch (error) {
    const reason = `It could not be measured: ${messageOf(error)}`;
    outcome = { verdict: "inconclusive", reason, figures: [], tables: [] };
  }
  return { ...shell, ...outcome, comparisons, versions: versions(), durationMs: performance.now() - begun };
}

/** @param comparisons takes every comparison as soon as it has been measured. */
async function measure(
  experiment: Experiment,
  bench: Bench,
  { ms: timeMs, isGiven }: Parameters<typeof runExperiment>[2],
  comparisons: ComparisonResult[],
) {
  const endsAt = performance.now() + timeMs;
  const { comparisons: plans = [], loads = [], measureShare = 0 } = experiment;
  const besideMs = timeMs * measureShare;
  for (const [index, plan] of plans.entries()) {
    const leftMs = endsAt - besideMs - performance.now();
    const partMs = Math.max(
      shareOf(plan, plans.slice(index), leftMs),
      shareOf(plan, plans, timeMs - besideMs),
    );
    const time = isGiven ? { timeMs: partMs } : { totalMs: partMs };
    comparisons.push(await compareSides(plan, bench, time));
    if (bench.signal.aborted) throw new Error("it was interrupted.");
  }
  const leftMs = Math.max(besideMs, endsAt - performance.now());
  const loaded: Record<string, LoadAnswer> = {};
  for (const load of loads)
    loaded[load.id] = await loadSides(bench, load, leftMs * (load.share ?? 1 / loads.length));
  return {
    loads: loaded,
    measured: await experiment.measure?.({
      ...{ ...bench, timeMs: leftMs },
      async samplesOf(id) {
        if (!comparisons.some((comparison) => comparison.id === id && comparison.sides.length > 0)) return [];
        const { samples } = await readRun(join(bench.folder, id));
        return [...samples].filter(({ phase }) => phase === "measure");
      },
    }),
  };
}

/** Least trials of one comparison may take longer than its share: that is not taken from the others. */
function shareOf(plan: ComparisonPlan, plans: readonly ComparisonPlan[], ms: number): number {
  const weightOf = ({ weight, sides }: ComparisonPlan) => weight ?? sides.length + 1;
  return (ms * weightOf(plan)) / sum(plans.map(weightOf));
}

const FRAMEWORKS: Readonly<Record<string, string>> = { next: "Next.js", react: "React in Next.js" };

/** What took part, by name ("V8 in Node.js"), from what the sides say of themselves. */
function versionsOf(
  identities: readonly Identity[],
  comparisons: readonly ComparisonResult[],
): Record<string, string> {
  const names = {
    ...FRAMEWORKS,
    ...Object.fromEntries(comparisons.map(({ caseId }) => [`${caseId}.react`, `React in ${caseId}`])),
  };
  const versions: Record<string, string> = {};
  for (const { pins, facts, platform } of identities) {
    const [runtime = "", version] = facts.runtime?.split(" ") ?? [];
    if (version !== undefined) {
      versions[runtime] = version;
      if (facts.v8 != null) versions[`V8 in ${runtime}`] = facts.v8;
    }
    if (facts.adapter != null) versions[`adapter on ${platform}`] = facts.adapter;
    for (const [pin, name] of Object.entries(names)) {
      const version = pins[pin];
      if (version !== undefined) versions[name] = version;
    }
  }
  return versions;
}
