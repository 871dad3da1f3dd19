// What the page alone shows of a run.
import type { Run } from "@evenbench/results";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import type { CaseDetails, Details } from "./details.ts";
import type { CaseFacts } from "./facts.ts";
import { remarksOf, remarksOfRun } from "./remarks.ts";

/** Makes the details of a run. @param order the cases of its facts. */
export function makeDetails(
  { run, cases }: Pick<AnalysedRun, "run" | "cases">,
  order: readonly Pick<CaseFacts, "id">[],
): Details {
  return {
    schema: 1,
    cases: order.flatMap(({ id }) => {
      const report = cases.find(({ manifest }) => manifest.id === id);
      return report === undefined ? [] : caseDetails(report, run);
    }),
    remarks: remarksOfRun(
      run,
      order.map(({ id }) => id),
    ),
  };
}

function caseDetails(report: AnalysedCase, run: Run): CaseDetails {
  const { manifest, distributions, warmUps, coldTrials, cacheAnswers, spent } = report;
  return {
    case: manifest.id,
    distributions,
    warmUps,
    coldTrials,
    coldStarts: report.cold.map(({ target, repetitions, readyMs, firstMs, secondMs }) => ({
      target,
      starts: repetitions,
      readyMs,
      firstMs,
      secondMs,
    })),
    failures: report.errors.map(({ target, kind, detail, count }) => ({
      target,
      kind,
      quote: detail,
      count,
    })),
    cacheAnswers,
    places: report.placed?.places ?? [],
    usage: report.cpu.map(({ target, systemShare, minorFaults, peakResidentBytes }) => ({
      target,
      systemShare,
      minorFaults,
      peakResidentBytes,
    })),
    spent: { warmUpMs: spent.warmUpMs, measuringMs: spent.measuringMs },
    remarks: remarksOf(report, run),
  };
}
