import type { Sample } from "@evenbench/results";
import { seededRandom } from "./random.ts";
import { type Scenario, simulateRun } from "./simulation.ts";

export const TEST_SCENARIO: Scenario = {
  name: "for tests",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0.3,
  drift: 0.05,
  outliers: 0.02,
  heavyTails: false,
};

/** One measured exchange; what is not given is what tests do not care for. */
export function testSample(given: Partial<Sample>): Sample {
  return {
    caseId: "case",
    target: "node",
    trial: 0,
    phase: "measure",
    roundIndex: 0,
    position: 0,
    startedAtMs: 0,
    connectMs: null,
    firstByteMs: null,
    lastByteMs: null,
    cpuMs: null,
    minorFaults: null,
    status: 200,
    bodyBytes: 1,
    instanceId: null,
    served: 1,
    inFlight: 0,
    error: null,
    ...given,
  };
}

/** Samples of "node", "node~copy" and "other", which takes `ratio` times as long. */
export function testRun(ratio: number, seed: number, scenario: Scenario = TEST_SCENARIO): Sample[] {
  const { baseline, copy, target } = simulateRun(scenario, ratio, seededRandom(seed));
  const named = { node: baseline, "node~copy": copy, other: target };
  return Object.entries(named).flatMap(([name, trials]) =>
    trials.flatMap((times, trial) =>
      [...times].map((ms, roundIndex) =>
        testSample({ target: name, trial, roundIndex, lastByteMs: ms, firstByteMs: ms / 2 }),
      ),
    ),
  );
}
