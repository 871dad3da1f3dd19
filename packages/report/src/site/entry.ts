import { type GalleryCase, type GalleryEntry, type GalleryMeasured, ResultsError } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { versionsOf } from "../names.ts";

/** What a gallery keeps of a run. A/A copies are no part of it: they are the noise. */
export function entryOf({ run, summary, warnings, targets, cases }: ReportData): GalleryEntry {
  if (run.machine === null) throw new ResultsError("No single machine measured it.");
  const { system, cpuModel, cores, memoryBytes } = run.machine;
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const names = new Set(originals.map(({ name }) => name));
  return {
    schemaVersion: 2,
    runId: run.id,
    startedAt: run.startedAt,
    evenbenchVersion: run.evenbenchVersion,
    answer: summary.answer ?? summary.compared,
    notices: warnings.length,
    machine: { system, cpuModel, cores, memoryBytes },
    versions: versionsOf(run).map(({ name, version }) => ({ name, version })),
    targets: originals.map(({ name, app, platform, about }) => ({
      name,
      app,
      platform,
      colour: about?.colour ?? null,
    })),
    cases: cases.map((report) => caseOf(report, names)),
  };
}

function caseOf(
  { manifest, kindOfWork, baseline, headline, cpuTime }: CaseReport,
  names: ReadonlySet<string>,
): GalleryCase {
  return {
    id: manifest.id,
    title: manifest.title,
    kind: kindOfWork,
    baseline,
    time: measuredOf(headline, names),
    cpuTime: measuredOf(cpuTime, names),
  };
}

function measuredOf(analysis: CaseAnalysis | null, names: ReadonlySet<string>): readonly GalleryMeasured[] {
  const own = analysis?.summaries.filter(({ target }) => names.has(target)) ?? [];
  return own.map(({ target, median, medianLow, medianHigh }) => {
    const comparison = analysis?.comparisons.find((one) => one.target === target);
    const ratio = comparison?.ratio ?? null;
    return {
      target,
      medianMs: median,
      lowMs: medianLow,
      highMs: medianHigh,
      ratio: ratio === null ? null : { estimate: ratio.estimate, low: ratio.low, high: ratio.high },
      verdict: comparison?.verdict ?? null,
    };
  });
}
