import type { VantagePlan } from "../src/protocol/plan.ts";

/** How much a test's plan asks for: of each case, trials; of each trial, rounds and warm-up requests. */
export interface Amounts {
  readonly trials: number;
  readonly rounds: number;
  readonly warmUp: number;
}

/** What every plan of a test has, but for its cases, targets and seed. */
export function settingsOf({
  trials,
  rounds,
  warmUp,
}: Amounts): Omit<VantagePlan["run"], "cases" | "targets" | "seed"> {
  return {
    caseBudgetMs: {},
    trials: { minimum: trials, maximum: trials },
    roundsPerTrial: rounds,
    precision: 0.02,
    serverCores: "all",
    spacing: 1,
    pauseMs: 0,
    workers: 1,
    warmUpExchanges: warmUp,
    coldStarts: 0,
    digestEvery: 20,
    allowedPins: [],
  };
}
