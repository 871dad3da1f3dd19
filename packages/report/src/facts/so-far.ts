// What a run that goes on has found: its comparisons of times, and nothing that takes all samples.
import type { Run } from "@evenbench/results";
import type { CaseAnalysis } from "@evenbench/stats";
import { inReportOrder } from "../analyse-run.ts";
import { changeOf } from "./changes.ts";
import { type Facts, RULES } from "./facts.ts";
import { levelOfSummary } from "./levels.ts";
import { caseFacts, runFacts } from "./run-facts.ts";
import { targetFacts } from "./targets.ts";

/** Makes the facts of a run between two of its turns: without notices, next steps, and what its page alone shows. */
export function factsSoFar(run: Run, analyses: readonly CaseAnalysis[]): Facts {
  const targets = inReportOrder(run);
  // Of a cache nothing is compared at the end either.
  const compared = analyses.filter(({ comparisons }) => comparisons.length > 0);
  const cases = run.plan.cases.flatMap((manifest) => {
    const analysis = compared.find(({ caseId }) => caseId === manifest.id);
    return analysis === undefined ? [] : [{ manifest, analysis }];
  });
  return {
    schema: 1,
    rules: RULES,
    run: runFacts({ run, cases: [] }),
    cases: cases.map(({ manifest, analysis: { baseline, summaries } }) => {
      const names = summaries.map(({ target }) => target);
      return caseFacts({ manifest, baseline, targets: names, kindOfWork: "", partTimes: [] }, run);
    }),
    targets: targetFacts(run, targets),
    levels: cases.flatMap(({ analysis }) => analysis.summaries.map(levelOfSummary)),
    changes: cases.flatMap(({ analysis }) => analysis.comparisons.map((each) => changeOf(each, "main"))),
    trends: [],
    answers: [],
    settings: [],
    notices: [],
    next: [],
    app: null,
  };
}
