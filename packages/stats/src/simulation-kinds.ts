import { targetKinds } from "./kinds.ts";
import { seededRandom } from "./random.ts";
import type { Series } from "./series.ts";
import { type Scenario, simulateRun } from "./simulation.ts";
import { warmthOfTrial } from "./warm-up.ts";

/** In what share of runs two kinds of the target are said. */
export interface KindsSaid {
  readonly ofInstances: number;
  readonly ofExchanges: number;
}

/** How often a scenario's target is said to come in kinds. */
export function kindsSaid(scenario: Scenario, runs: number, seed: number): KindsSaid {
  const random = seededRandom(seed);
  let [instances, exchanges] = [0, 0];
  for (let run = 0; run < runs; run++) {
    const { target } = simulateRun(scenario, 1, random);
    const { ofInstances, ofExchanges } = targetKinds("target", "lastByteMs", seriesOf(target));
    if (ofInstances !== null) instances += 1;
    if (ofExchanges !== null) exchanges += 1;
  }
  return { ofInstances: instances / runs, ofExchanges: exchanges / runs };
}

/** Share of a scenario's instances that are called not warm by what was measured of them. */
export function calledNotWarm(scenario: Scenario, runs: number, seed: number): number {
  const random = seededRandom(seed);
  let cold = 0;
  for (let run = 0; run < runs; run++) {
    const { target } = simulateRun(scenario, 1, random);
    cold += target.filter(
      (times) => !warmthOfTrial(new Map([["alone", new Map(times.entries())]])).get("alone")?.warm,
    ).length;
  }
  return cold / (runs * scenario.trials);
}

/** Simulated times as if they had been measured. */
export function seriesOf(instances: readonly Float64Array[]): Series {
  const trials = instances.map((ms, trial) => {
    const index = Float64Array.from(ms.keys());
    return [trial, { index, ms }] as const;
  });
  const exchanges = instances.reduce((sum, { length }) => sum + length, 0);
  return { trials: new Map(trials), exchanges, errors: 0 };
}
