// Who differs from whom, with the verdict, its reason and its flags.
import { type Comparison, isJudged, isTooWide, type Verdict as StatedVerdict } from "@evenbench/stats";
import type { AnalysedRun } from "../analyse-run.ts";
import type { AnalysedCase } from "../analysed-case.ts";
import type { Change, Verdict, Why } from "./facts.ts";
import { flagsOf } from "./flags.ts";
import { analysesOf, costsOf } from "./levels.ts";
import { headOf, NO_INTERVAL, numbersOf, withoutVerdict } from "./rows.ts";

/** Lists the changes of a case: main ones and that of the copy metric by metric, costs, then other baselines. */
export function changesOf(report: AnalysedCase, data: Pick<AnalysedRun, "run">): readonly Change[] {
  if (report.from !== "computed") {
    return cachedChanges(report, data);
  }
  if (report.placed !== null) {
    return flagged(report.placed.changes, report, data.run);
  }
  const compared = [
    ...analysesOf(report).flatMap(({ comparisons, control }) => [
      ...comparisons.map((each) => changeOf(each, "main")),
      ...(control === null ? [] : [changeOf(control, "copy")]),
    ]),
    ...costChanges(report),
    ...report.against.flatMap(({ lastByte, cpuTime }) =>
      [lastByte, cpuTime].flatMap((analysis) =>
        (analysis?.comparisons ?? []).map((each) => changeOf(each, "other")),
      ),
    ),
  ];
  return flagged(compared, report, data.run);
}

function flagged(
  changes: readonly Change[],
  report: AnalysedCase,
  run: AnalysedRun["run"],
): readonly Change[] {
  const flagsOfChange = flagsOf(report, run);
  return changes.map((change) =>
    change.low === null ? change : { ...change, flags: flagsOfChange(change) },
  );
}

/** What a cache answered is not compared: one change without a verdict for each target and time. */
function cachedChanges(report: AnalysedCase, { run }: Pick<AnalysedRun, "run">): readonly Change[] {
  const { baseline, manifest } = report;
  const copies = new Set(run.plan.targets.flatMap(({ name, copyOf }) => (copyOf === null ? [] : name)));
  return analysesOf(report).flatMap(({ metric, summaries }) =>
    summaries
      .filter(({ target }) => target !== baseline && !copies.has(target))
      .map(({ target }) => withoutVerdict({ case: manifest.id, target, baseline, metric, why: "cached" })),
  );
}

/** Makes a change of a comparison. */
export function changeOf(comparison: Comparison, role: Change["role"]): Change {
  const { caseId, target, baseline, metric, byTrial } = comparison;
  const verdict = verdictOfFacts(comparison.verdict);
  return {
    ...headOf(caseId, target, baseline, metric),
    role,
    ...(verdict === "none" ? NO_INTERVAL : numbersOf(comparison.ratio, comparison.equivalence)),
    verdict,
    why: whyOf(comparison),
    byTrial,
  };
}

function verdictOfFacts(verdict: StatedVerdict): Verdict {
  return isJudged(verdict) ? verdict : "none";
}

/** Gives the reason why a comparison has no verdict, or no interval that says something. */
function whyOf({ ratio, why }: Comparison): Why | null {
  return why ?? (ratio !== null && isTooWide(ratio) ? "too-wide" : null);
}

/** Lists the changes of what is measured beside times. A side that was not warm is all that has no verdict here. Copies and baselines have none. */
function costChanges(report: AnalysedCase): readonly Change[] {
  return costsOf(report).flatMap(({ target, metric, compared }) => {
    if (compared === null) {
      return [];
    }
    const verdict = verdictOfFacts(compared.verdict);
    return [
      {
        ...headOf(report.manifest.id, target, report.baseline, metric),
        ...(verdict === "none" ? NO_INTERVAL : numbersOf(compared.ratio, compared.equivalence)),
        verdict,
        why: verdict === "none" ? "not-warm" : null,
        byTrial: compared.byTrial,
      },
    ];
  });
}

/** Lists the changes of starts. What cannot be told from the start of nothing is not compared. */
export function startUpChanges({ startUps, run }: Pick<AnalysedRun, "startUps" | "run">): readonly Change[] {
  const others =
    run.plan.quick === true ? [] : startUps.filter(({ target, baseline }) => target !== baseline);
  return others.map(({ target, baseline, compared, isTooSmall }): Change => {
    const of = { case: null, target, baseline, metric: "startupCpuMs" } as const;
    if (compared === null) {
      return withoutVerdict({ ...of, why: isTooSmall ? "too-small" : "few-trials" });
    }
    return {
      ...headOf(null, target, baseline, of.metric),
      ...numbersOf(compared.ratio, compared.equivalence),
      verdict: verdictOfFacts(compared.verdict),
      why: null,
      byTrial: compared.byTrial,
    };
  });
}
