import { expect, test } from "vitest";
import { caseOf } from "../test/counting-server.ts";
import { planOf } from "../test/plan-of.ts";
import { dltJson } from "./write-plan.ts";

test("a test has one client in each region, at most five, and the time for its plan", () => {
  const plan = planOf({
    targets: { node: "http://127.0.0.1:9" },
    cases: (targets) => [caseOf("trig", targets)],
  });
  const regions = ["us-east-1", "eu-central-1", "ap-northeast-1", "sa-east-1", "eu-west-1", "us-west-2"];
  const counts = { ...plan.counts, expectedMs: 10 * 60_000 };
  const test = JSON.parse(dltJson({ ...plan, counts }, regions));
  expect(test.testTaskConfigs).toEqual(
    regions.slice(0, 5).map((region) => ({ region, taskCount: 1, concurrency: 1 })),
  );
  expect(test.testScenario.execution[0]["hold-for"]).toBe("32m");
});
