import { formatDuration } from "@evenbench/core";
import { createReport } from "@evenbench/report";
import { run as measure, RunError, type RunOptions } from "@evenbench/runner";
import { progressLine } from "../progress.ts";
import { sayNote } from "../say.ts";
import { WARM_UP_FILE } from "../warm-up-file.ts";
import { comparableCases } from "./comparable.ts";
import { type Finding, findingsOf } from "./findings.ts";
import type { Pair } from "./pairs.ts";
import { unbegun, unfinishedOf } from "./unfinished.ts";

export interface PairOptions {
  /** Time for each case in milliseconds. Default: what it takes to be warm. */
  readonly time?: number;
  readonly seed?: number;
  readonly out: string;
  /** Settings that may differ, beside the artifact: that the two are different builds is the point. */
  readonly allow?: readonly string[];
  readonly otherIds: readonly string[];
  readonly signal: AbortSignal;
}

interface Found {
  readonly findings: readonly Finding[];
  /** A line for each target or case that was not measured to its end. */
  readonly unfinished: readonly string[];
}

/** The same, and a line for each case that was left out. */
export interface Measured extends Found {
  readonly left: readonly string[];
}

/**
 * Measures both states of each target in turns: a run for each target, on the cases that do the same work in
 * both. A target that cannot be measured leaves the others theirs.
 */
export async function measurePairs(pairs: readonly Pair[], options: PairOptions): Promise<Measured> {
  const allow = ["artifact", ...(options.allow ?? [])];
  const findings: Finding[] = [];
  const left: string[] = [];
  const unfinished: string[] = [];
  for (const pair of pairs) {
    if (pair.cases.length === 0 || options.signal.aborted) continue;
    try {
      const comparable = await comparableCases(pair, { ...options, allow });
      left.push(...comparable.left);
      if (comparable.cases.length === 0) continue;
      const found = await measurePair({ ...pair, cases: comparable.cases }, { ...options, allow });
      findings.push(...found.findings);
      unfinished.push(...found.unfinished);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      // What an interruption cut off has failed, too.
      if (!options.signal.aborted) unfinished.push(unbegun(error, pair.name));
    }
  }
  return { findings, left, unfinished };
}

async function measurePair(
  { name, base, head, cases }: Pair,
  { out, otherIds, signal, allow, time, seed }: PairOptions & { readonly allow: readonly string[] },
): Promise<Found> {
  const progress = progressLine(process.stderr);
  const options: RunOptions = {
    targets: [base, head],
    baseline: base.name,
    // Held against one another, as before: golden values are the working copy's, and nobody asks for others.
    cases: { [base.app.id]: cases.map((one) => ({ ...one, golden: null })) },
    asksForGolden: false,
    otherCaseIds: otherIds,
    allow,
    warmUpFile: WARM_UP_FILE,
    out,
    signal,
    ...(time === undefined ? {} : { timeMs: time }),
    ...(seed === undefined ? {} : { seed }),
    onProgress: progress.show,
    onPlan(expectedMs) {
      progress.clear();
      sayNote(`Measuring ${name} takes about ${formatDuration(expectedMs)} on a quiet machine.`);
    },
    onEvent({ detail }) {
      progress.clear();
      sayNote(`! ${detail}`);
    },
  };
  const { folder, run } = await measure(options);
  progress.clear();
  const report = await createReport(folder);
  sayNote(`Report of ${name}: ${report.htmlFile}`);
  return { findings: findingsOf(report, name), unfinished: unfinishedOf(run, name) };
}
