// The facts of a load: what its record says, and what its stages gave. A load judges nothing, so it has no change.
import { OWN_SERVER_APP } from "@evenbench/core";
import type { LoadRun } from "@evenbench/results";
import { sum } from "@evenbench/stats";
import { byPlatform, shownTargets } from "../shown-targets.ts";
import { type CaseFacts, type Facts, type Notice, RULES, type RunFacts, type Setting } from "./facts.ts";
import { joined, recordFindings } from "./notices.ts";
import { headFacts, manifestFacts, trialFacts, whereFrom } from "./run-facts.ts";
import { settingsOf, targetFacts } from "./targets.ts";
import { memoryLevels, trendsOf } from "./trends.ts";

/** What the stages of a load gave. */
export interface LoadFindings extends Pick<Facts, "levels" | "answers"> {
  /** What stages say against themselves. */
  readonly found: readonly Notice[];
}

/** Makes the facts of a load. @param damage sentences on what could not be read of its samples. */
export function makeLoadFacts(
  run: LoadRun,
  { levels, answers, found }: LoadFindings,
  damage: readonly string[],
): Facts {
  const targets = shownTargets(run.plan.targets).toSorted(byPlatform);
  return {
    schema: 1,
    rules: RULES,
    run: runFactsOf(run),
    cases: run.plan.cases.map((manifest) => caseFactsOf(manifest, run)),
    targets: targetFacts(run, targets),
    levels: [...levels, ...run.plan.cases.flatMap(({ id }) => memoryLevels(run, id))],
    changes: [],
    trends: run.plan.cases.flatMap(({ id }) => trendsOf(run, id)),
    answers,
    settings: [...loadSettings(run), ...settingsOf(run, targets)],
    notices: joined([...recordFindings(run, damage), ...found]),
    next: [],
    app: null,
  };
}

function runFactsOf(run: LoadRun): RunFacts {
  const { plan, stages } = run;
  const trials = [...Map.groupBy(stages, ({ caseId }) => caseId).values()].map(
    (ofCase) => new Set(ofCase.map(({ trial }) => trial)).size,
  );
  return {
    ...headFacts(run),
    measuringMs: sum(stages.map(({ windowMs }) => windowMs)),
    warmUpMs: 0,
    quick: false,
    trials: trialFacts(trials, plan.trials),
    of: plan.targets.some(({ app }) => app === OWN_SERVER_APP) ? "servers" : "cases",
    from: whereFrom(run),
    commit: null,
    repository: null,
  };
}

function caseFactsOf(manifest: LoadRun["plan"]["cases"][number], { plan, stages }: LoadRun): CaseFacts {
  const asked = stages.find(({ caseId }) => caseId === manifest.id)?.target;
  const app = (plan.targets.find(({ name }) => name === asked) ?? plan.targets[0])?.app ?? "";
  return {
    ...manifestFacts(manifest, app),
    kindOfWork: manifest.kind ?? app,
    streams: manifest.page?.streams === true,
    baseline: null,
    bodiesVary: null,
  };
}

/** Lists how the load was sent, and on how many processes of each target. */
function loadSettings(run: LoadRun): readonly Setting[] {
  const { targets } = run.plan;
  const client = clientName(run);
  const setting = (key: string, valueFor: (target: (typeof targets)[number]) => string): Setting => ({
    key,
    mustBeEqual: false,
    byTarget: targets.map((target) => ({ target: target.name, value: valueFor(target) })),
  });
  return [
    setting("client", () => client),
    setting("instances", ({ instances }) => String(instances)),
    setting("workers", ({ workers }) => String(workers)),
  ];
}

/** Names the program that sent a load, and the machines that it ran on: "k6 2.2.0 on eu 1/2, us 2/2". */
function clientName({ plan: { engine }, machine, clients = [] }: LoadRun): string {
  const program =
    engine === null ? `Node.js ${machine?.clientNode ?? ""}`.trim() : `${engine.name} ${engine.version}`;
  return clients.length === 0 ? program : `${program} on ${clients.map(({ name }) => name).join(", ")}`;
}
