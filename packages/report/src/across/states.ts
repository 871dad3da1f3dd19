// Two states of the same targets in one table of facts: what `compare` and `against` have in common.
import type { Facts, RunFacts, TargetFacts } from "../facts/facts.ts";

/** Which of two states. */
export type State = "before" | "after";

/** The metrics by which two states are compared. */
export const COMPARED_METRICS = ["lastByteMs", "firstByteMs", "cpuMs"] as const;

/** Gives the name that a target has where its two states are compared. */
export function nameIn(target: string, state: State): string {
  return `${target} (${state})`;
}

/** Makes a target one of two states. It stands in the column of the target itself. */
export function inState(target: TargetFacts, state: State): TargetFacts {
  return { ...target, name: nameIn(target.name, state), state };
}

/** Makes the other state of a target that only one state has. */
export function missingIn(target: TargetFacts, state: State): TargetFacts {
  return {
    ...inState(target, state),
    runtime: null,
    engine: null,
    adapter: null,
    artifact: null,
    size: null,
    absent: { code: "one-state-only", quote: null },
  };
}

/** Joins what is said of several runs into what is said of their comparison. */
export function runOfStates(runs: readonly [RunFacts, ...RunFacts[]]): RunFacts {
  const newest = runs.at(-1) ?? runs[0];
  const machines = new Set(runs.map(({ machine }) => JSON.stringify(machine)));
  const places = new Set(runs.map(({ from }) => from));
  const took = runs.map(({ tookMs }) => tookMs);
  const sumOf = (of: (run: RunFacts) => number) => runs.reduce((sum, run) => sum + of(run), 0);
  return {
    ...newest,
    tookMs: took.includes(null) ? null : sumOf(({ tookMs }) => tookMs ?? 0),
    measuringMs: sumOf(({ measuringMs }) => measuringMs),
    warmUpMs: sumOf(({ warmUpMs }) => warmUpMs),
    status: runs.find(({ status }) => status !== "complete")?.status ?? "complete",
    quick: runs.some(({ quick }) => quick),
    command: null,
    settings: null,
    seed: null,
    trials: {
      fewest: Math.min(...runs.map(({ trials }) => trials.fewest)),
      most: Math.max(...runs.map(({ trials }) => trials.most)),
      planned: Math.max(...runs.map(({ trials }) => trials.planned)),
    },
    of: "states",
    from: places.size === 1 ? newest.from : "places",
    machine: machines.size === 1 ? newest.machine : null,
    judgedFrom: runs.some(({ judgedFrom }) => judgedFrom === "ends") ? "ends" : "samples",
  };
}

/** The facts of a comparison that hold the same for each of both commands. */
export const COMPARISON = { schema: 1, next: [], app: null } as const satisfies Partial<Facts>;
