import { SCRIPT_FILE, type VantagePlan } from "../protocol/plan.ts";
import { nameOfPlan } from "./embed.ts";

/** Regions that one test of Distributed Load Testing on AWS takes at most. */
export const MOST_DLT_REGIONS = 5;

/**
 * Networks elsewhere are slower than the one that the plan was made on: the test is held for so many times
 * what is expected, and this longer.
 */
const TIMES_EXPECTED = 3;
const LONGER_MIN = 2;

/** What Distributed Load Testing on AWS is to be given: one task with one client in each region. */
export function dltJson(plan: VantagePlan, regions: readonly string[]): string {
  const name = nameOfPlan(plan);
  const minutes = Math.ceil((TIMES_EXPECTED * plan.counts.expectedMs) / 60_000) + LONGER_MIN;
  const test = {
    testName: name,
    testDescription: `Evenbench: ${plan.cases.map(({ id }) => id).join(", ")}`,
    testType: "k6",
    fileType: "script",
    testTaskConfigs: regions
      .slice(0, MOST_DLT_REGIONS)
      .map((region) => ({ region, taskCount: 1, concurrency: 1 })),
    testScenario: {
      execution: [{ "ramp-up": "0m", "hold-for": `${minutes}m`, scenario: name }],
      scenarios: { [name]: { script: SCRIPT_FILE } },
    },
    showLive: false,
  };
  return `${JSON.stringify(test, null, 2)}\n`;
}
