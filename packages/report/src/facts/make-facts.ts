// All decisions on what a run found end here: what makes texts and pictures of it takes these facts, and decides nothing.
import type { AnalysedRun } from "../analyse-run.ts";
import { changesOf, startUpChanges } from "./changes.ts";
import type { Details } from "./details.ts";
import { type Facts, RULES } from "./facts.ts";
import { answersOf, levelsOf, startUpLevels } from "./levels.ts";
import { makeDetails } from "./make-details.ts";
import { nextSteps } from "./next.ts";
import { noticesOf } from "./notices.ts";
import { appFacts, byEffect, caseFacts, runFacts } from "./run-facts.ts";
import { settingsOf, targetFacts } from "./targets.ts";
import { memoryLevels, trendsOf } from "./trends.ts";

/** The facts of a run, and what the page shows beside them. */
export interface RunFindings {
  readonly facts: Facts;
  readonly details: Details;
}

/** Makes the facts of a run. @param damage sentences on what could not be read of its samples. */
export function makeFacts(data: AnalysedRun, damage: readonly string[]): RunFindings {
  const { run } = data;
  const targets = targetFacts(run, data.targets);
  const inPlan = data.cases.flatMap((report) => changesOf(report, data));
  const cases = byEffect(data.cases, ({ manifest }) => manifest.id, inPlan, targets);
  const ordered = { ...data, cases };
  const levels = [
    ...cases.flatMap((report) => [...levelsOf(report, run), ...memoryLevels(run, report.manifest.id)]),
    ...startUpLevels(data),
  ];
  const facts: Facts = {
    schema: 1,
    rules: RULES,
    run: runFacts(ordered),
    cases: cases.map((report) => caseFacts(report, run)),
    targets,
    levels,
    changes: [
      ...cases.flatMap((report) => inPlan.filter((change) => change.case === report.manifest.id)),
      ...startUpChanges(data),
    ],
    trends: cases.flatMap(({ manifest }) => trendsOf(run, manifest.id)),
    answers: cases.flatMap(answersOf),
    settings: settingsOf(run, data.targets),
    notices: noticesOf(ordered, levels, damage),
    next: nextSteps(ordered),
    app: appFacts(run),
  };
  return { facts, details: makeDetails(ordered, facts.cases) };
}
