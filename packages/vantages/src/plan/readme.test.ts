import { expect, test } from "vitest";
import { caseOf } from "../../test/counting-server.ts";
import { planOf } from "../../test/plan-of.ts";
import { readmeText } from "./readme.ts";

const plan = (isClosed: boolean, rounds = 6) =>
  planOf({
    targets: { node: "http://127.0.0.1:9" },
    cases: (targets) => [caseOf("trig", targets)],
    isClosed,
    rounds,
  });
const textOf = (made: ReturnType<typeof plan>) =>
  readmeText(made, ["Asked."], ["eu-central-1"], "vantages/first");

test("commands name the plan's own folder and things", () => {
  const text = textOf(plan(false));
  expect(text).toContain("vantages run vantages/first --at eu=ssh:me@vm1");
  expect(text).toMatch(/k6_cr=evenbench-[0-9a-f]{8}-\$region,runner=true/);
  expect(text).toContain("region=eu-central-1");
});

test("only closed targets have a part about their token", () => {
  expect(textOf(plan(true))).toContain("kubectl create secret generic evenbench-token");
  expect(textOf(plan(false))).not.toMatch(/token/i);
});

test("a plan whose log Kubernetes would cut says so", () => {
  expect(textOf(plan(false))).not.toContain("This plan's log");
  // 2 trials of 2 targets: 4 lines a round, and 4 of constant text.
  expect(textOf(plan(false, 4000))).toMatch(/This plan's log has about 13 MB: plan fewer/);
});
