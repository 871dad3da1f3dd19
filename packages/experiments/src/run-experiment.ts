import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Identity, messageOf } from "@evenbench/core";
import { fetchIdentity } from "@evenbench/probe/preflight";
import type { ComparisonResult, ExperimentResult, Outcome } from "@evenbench/results";
import { serveLocal } from "@evenbench/runner/engine";
import { type Bench, compareSides, sourceOf } from "./compare.ts";
import type { ComparisonPlan, Experiment, MeasureContext } from "./define.ts";

/**
 * Runs one experiment: its planned comparisons, then what it measures in its own way, then its decision.
 * Never throws for what goes wrong while measuring: the verdict is then "inconclusive", with the reason.
 */
export async function runExperiment(
  experiment: Experiment,
  bench: Bench,
  timeMs: number,
): Promise<ExperimentResult> {
  const begun = performance.now();
  const { id, title, claim, source, published } = experiment;
  const shell = { id, title, claim, source, published, startedAt: new Date().toISOString() };
  const comparisons: ComparisonResult[] = [];
  const outcome = await measure(experiment, bench, timeMs, comparisons).catch(failed);
  const versions = versionsSeen(bench, comparisons);
  return { ...shell, ...outcome, comparisons, versions, durationMs: performance.now() - begun };
}

function versionsSeen({ identities }: Bench, comparisons: readonly ComparisonResult[]) {
  return versionsOf(
    identities,
    comparisons.map(({ caseId }) => caseId),
  );
}

/** @param comparisons takes every comparison as soon as it has been measured. */
async function measure(
  experiment: Experiment,
  bench: Bench,
  timeMs: number,
  comparisons: ComparisonResult[],
): Promise<Outcome> {
  const endsAt = performance.now() + timeMs;
  const plans = experiment.comparisons ?? [];
  const ownMs = experiment.measure === undefined ? 0 : timeMs * (experiment.measureShare ?? DEFAULT_SHARE);
  for (const [index, plan] of plans.entries()) {
    const leftMs = endsAt - ownMs - performance.now();
    const partMs = Math.max(shareOf(plan, plans.slice(index), leftMs), shareOf(plan, plans, timeMs - ownMs));
    const { result } = await compareSides(plan, bench, partMs);
    comparisons.push(result);
    if (bench.signal.aborted) throw new Error("it was interrupted.");
  }
  const own = await experiment.measure?.(
    await contextFor(bench, Math.max(endsAt, performance.now() + ownMs), comparisons),
  );
  const byId = Object.fromEntries(comparisons.map((comparison) => [comparison.id, comparison]));
  return experiment.decide({ comparisons: byId, own, versions: versionsSeen(bench, comparisons) });
}

/** Least trials of one comparison may take longer than its share: that is not taken from the others. */
function shareOf(plan: ComparisonPlan, plans: readonly ComparisonPlan[], ms: number): number {
  return (ms * weightOf(plan)) / plans.reduce((sum, one) => sum + weightOf(one), 0);
}

function weightOf({ weight, sides }: ComparisonPlan): number {
  return weight ?? sides.length + 1;
}

async function contextFor(
  bench: Bench,
  endsAt: number,
  comparisons: ComparisonResult[],
): Promise<MeasureContext> {
  const { seed, signal, warmUpFile } = bench;
  const folder = join(bench.folder, "own");
  await mkdir(folder, { recursive: true });
  return {
    folder,
    timeMs: Math.max(0, endsAt - performance.now()),
    seed,
    signal,
    warmUpFile,
    target: (name) => sourceOf(bench, { name, target: name }),
    sideTarget: (side) => sourceOf(bench, side),
    noteIdentity: (identity) => void bench.identities.push(identity),
    async serve(side) {
      const host = await serveLocal(sourceOf(bench, side), side.name, {
        workers: 1,
        cores: null,
        logFolder: folder,
        exchangeTimeoutMs: IDENTITY_WITHIN_MS,
      });
      try {
        bench.identities.push(await fetchIdentity(host.url, { timeoutMs: IDENTITY_WITHIN_MS }));
        return host;
      } catch (error) {
        await host.stop();
        throw error;
      }
    },
    async compare(plan, timeMs) {
      const compared = await compareSides(plan, bench, timeMs);
      comparisons.push(compared.result);
      return compared;
    },
    progress: (what) => bench.showProgress(what, MEASURING),
  };
}

/** Of the time, for what an experiment measures in its own way beside its comparisons. */
const DEFAULT_SHARE = 1 / 2;
const IDENTITY_WITHIN_MS = 30_000;
const MEASURING = { phase: "measure", caseId: null, trial: 0, trials: 1, roundIndex: 0 } as const;

function failed(error: unknown): Outcome {
  const why = messageOf(error);
  return { verdict: "inconclusive", reason: `It could not be measured: ${why}`, figures: [], tables: [] };
}

/** Pins that name what a framework is, as readers call it. */
const FRAMEWORKS: Readonly<Record<string, string>> = { next: "Next.js", react: "React in Next.js" };

/**
 * What took part, by name: "Node.js", "V8 in Node.js", "workerd", "V8 in workerd", "Next.js", "React in
 * react-ssr" and the adapters. From what the sides say of themselves.
 */
function versionsOf(identities: readonly Identity[], caseIds: readonly string[]): Record<string, string> {
  const versions: Record<string, string> = {};
  for (const { pins, facts, platform } of identities) {
    const [runtime = "", version] = facts.runtime?.split(" ") ?? [];
    if (version !== undefined) {
      versions[runtime] = version;
      if (facts.v8 != null) versions[`V8 in ${runtime}`] = facts.v8;
    }
    if (facts.adapter != null) versions[`adapter on ${platform}`] = facts.adapter;
    for (const [pin, title] of Object.entries(FRAMEWORKS))
      if (pins[pin] !== undefined) versions[title] = pins[pin];
    for (const id of caseIds) {
      const react = pins[`${id}.react`];
      if (react !== undefined) versions[`React in ${id}`] = react;
    }
  }
  return versions;
}
