import { randomInt } from "node:crypto";
import type { LoadPlan } from "@evenbench/results";
import { appIdOf, RunError } from "@evenbench/runner";
import { runTargetOf } from "@evenbench/runner/engine";
import type { CaseNeeds } from "./case-needs.ts";
import type { LoadOptions } from "./options.ts";
import { lengthsPerTrial, stagesPerTrial, stageTime, trialsWithin } from "./plan/stage-time.ts";

/** Time for each case. A search takes its steps one after the other, and each must show a high quantile. */
const TIME_MS = { sweep: 60_000, capacity: 120_000 } as const;

export function timeOf({ timeMs, goal }: LoadOptions): number {
  return timeMs ?? TIME_MS[goal.kind];
}

export function firstPlan({ subjects, cases, goal, ...options }: LoadOptions): LoadPlan {
  const all = Object.entries(cases).flatMap(([app, own]) => own.map((manifest) => ({ app, manifest })));
  if (all.length === 0) throw new RunError("There is nothing to load: no case was given.");
  const unserved = all.find(({ app }) => subjects.every(({ target }) => appIdOf(target) !== app));
  if (unserved !== undefined)
    throw new RunError(`There is nothing to load: no target serves "${unserved.manifest.id}".`);
  return {
    cases: all.map(({ manifest }) => manifest),
    subjects: subjects.map(({ target, ...subject }) => ({
      ...subject,
      target: runTargetOf({ name: target.name, target, copyOf: null }),
    })),
    loads: goal.kind === "sweep" ? goal.loads : [],
    condition: goal.kind === "capacity" ? goal.condition : null,
    trials: options.trials ?? trialsWithin(options.timeMs, lengthsPerTrial(goal, subjects.length)),
    stageMs: 0,
    seed: options.seed ?? randomInt(2 ** 32),
    allowedPins: options.allow ?? [],
    engine: options.engine ? { name: options.engine.name, version: options.engine.version } : null,
  };
}

export function stageMsOf(options: LoadOptions, trials: number, cases: readonly CaseNeeds[]): number {
  const engineMs = (options.engine?.startMs ?? 0) * stagesPerTrial(options.goal, options.subjects.length);
  const times = cases.map(({ setUpMs, searchMs }) =>
    stageTime({
      timeMs: timeOf(options),
      trials,
      lengthsPerTrial: lengthsPerTrial(options.goal, options.subjects.length),
      setUpMs: setUpMs + engineMs,
      searchMs,
    }),
  );
  return Math.max(options.engine?.leastStageMs ?? 0, Math.min(...times));
}
