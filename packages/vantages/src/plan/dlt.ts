import { SCRIPT_FILE, type VantagePlan } from "../protocol/plan.ts";
import { nameOfPlan } from "./embed.ts";

/** Regions that one test of Distributed Load Testing on AWS takes at most. */
export const MOST_DLT_REGIONS = 5;

/** Networks elsewhere are slower than the one that the plan was made on: the test is held for so many times what is expected, and this longer. */
const TIMES_EXPECTED = 3;
const LONGER_MIN = 2;

/** What Distributed Load Testing on AWS is to be told: one task with one client in each region. */
export function dltJson(plan: VantagePlan, regions: readonly string[]): string {
  return dltTest({
    name: nameOfPlan(plan),
    description: `Evenbench: ${plan.cases.map(({ id }) => id).join(", ")}`,
    script: SCRIPT_FILE,
    expectedMs: TIMES_EXPECTED * plan.counts.expectedMs,
    tasks: regions.slice(0, MOST_DLT_REGIONS).map((region) => ({ region, taskCount: 1 })),
  });
}

/** A test of Distributed Load Testing on AWS. */
export interface DltTest {
  readonly name: string;
  readonly description: string;
  /** Name of the file. */
  readonly script: string;
  /** It is held for so long, and some minutes more. */
  readonly expectedMs: number;
  readonly tasks: readonly { readonly region: string; readonly taskCount: number }[];
}

/** The text of a `dlt.json`: its tasks have one client each. */
export function dltTest({ name, description, script, expectedMs, tasks }: DltTest): string {
  const minutes = Math.ceil(expectedMs / 60_000) + LONGER_MIN;
  const test = {
    testName: name,
    testDescription: description,
    testType: "k6",
    fileType: "script",
    testTaskConfigs: tasks.map((task) => ({ ...task, concurrency: 1 })),
    testScenario: {
      execution: [{ "ramp-up": "0m", "hold-for": `${minutes}m`, scenario: name }],
      scenarios: { [name]: { script } },
    },
    showLive: false,
  };
  return `${JSON.stringify(test, null, 2)}\n`;
}
