import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { testPlan } from "../test/logs.ts";
import { ratePlanOf } from "../test/plans.ts";
import { PLAN_FILE, type VantagePlan } from "./plan.ts";
import { parsePlan, readPlan } from "./read-plan.ts";

const folder = testFolder();
const rounds = testPlan();
const rate = ratePlanOf("https://node.example", 20, 2);

/** The plan as JSON has it, with another value at a place such as "run.trials.minimum". */
function changed(plan: VantagePlan, place: string, value: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(plan));
  const keys = place.split(".");
  const last = keys.pop() ?? "";
  let holder = copy as Record<string, unknown>;
  for (const key of keys) {
    holder = holder[key] as Record<string, unknown>;
  }
  holder[last] = value;
  return copy;
}

test.each([rounds, rate])("a plan of $kind is taken as it was made", (plan) => {
  expect(parsePlan(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

const TARGETS = rounds.cases[0]?.targets ?? [];

test.each<[said: string, place: string, value: unknown]>([
  ["kind: Invalid discriminator value", "kind", "x"],
  ["run.trials.maximum: Too big", "run.trials", { minimum: 1, maximum: 2 ** 60 }],
  ["run.trials: No fixed number", "run.trials.maximum", 4],
  ["run.trials.minimum: Too big", "run.trials", { minimum: 1e5, maximum: 1e5 }],
  ["run.roundsPerTrial: Too big", "run.roundsPerTrial", 5e5],
  ["run.roundsPerTrial: Invalid input", "run.roundsPerTrial", null],
  ["run.warmUpExchanges: Too big", "run.warmUpExchanges", 5e5],
  ["cases: Too small", "cases", []],
  ["its cases and those of its run are different ones", "cases.0.id", "math"],
  ['the case "trig" names the target "x", which it has not', "cases.0.targets", ["x"]],
  ['the case "trig" names the target "node" twice', "cases.0.targets", [...TARGETS, "node"]],
  ['two targets are named "cloudflare"', "run.targets.0.name", "cloudflare"],
  // The token would go to another host than the one that the targets name.
  ['the origin of "node" is not that of its url', "origins.node", "https://evil.example"],
  ['the origin of "node~copy" is not that of its url', "origins.node~copy", "https://evil.example"],
  ['the url of "node" is not an address', "run.targets.0.url", "https://user:password@node.example"],
  ['the url of "node" is not an address', "run.targets.0.url", "file:///etc/passwd"],
  ['"node" is the copy of "x", which is no target', "run.targets.0.copyOf", "x"],
  ['one of "node~copy" and "node" is closed', "closed", ["node"]],
  ['"x" is none of its targets', "closed", ["x"]],
  ['"__proto__" is none of its targets', "closed", ["__proto__"]],
  // Behind "https://node.example" this would be a user's name, and evil.example the host.
  ['"@evil.example/" is not a path', "cases.0.request.path", "@evil.example/"],
  ['"/a b" is not a path', "cases.0.transfer.path", "/a b"],
  [
    'the mask "m" of the case "trig" is "(x+)+(?=z)": within k6 nothing could end its search',
    "cases.0.request.expected.masks",
    [{ name: "m", pattern: "(x+)+(?=z)", replacement: "" }],
  ],
  ['for its header "cf-ray" is "(?=x)"', "edges", [{ header: "cf-ray", pattern: "(?=x)" }]],
])("rounds are refused: %s", (said, place, value) => {
  expect(parsePlan(changed(rounds, place, value))).toContain(said);
});

const [load] = rate.run.loads;

test.each<[said: string, place: string, value: unknown]>([
  ["run.trials: Too big", "run.trials", 1e5],
  ["run.loads: Too small", "run.loads", []],
  ["run.loads: Too big", "run.loads", Array(200_000).fill(load)],
  ["run.loads.0.perSecond: Too big", "run.loads.0.perSecond", 1e9],
  ["run.loads.0.connections: Too big", "run.loads.0.connections", 5000],
  ["machines: Too big", "machines", 1e9],
  ["20 machines cannot share 8 connections", "machines", 20],
  ["run.stageMs: k6 plays nothing shorter", "run.stageMs", 1],
  ["run.stageMs: Too big", "run.stageMs", 1e11],
  ["run.loads.0.arrivals: Invalid input", "run.loads.0.arrivals", "poisson"],
  ["run.loads.0.kind: Invalid input", "run.loads.0", { kind: "closed", connections: 2 }],
])("a load is refused: %s", (said, place, value) => {
  expect(parsePlan(changed(rate, place, value))).toContain(said);
});

test.each([
  ["{", "plan.json is not JSON, as if it was cut off"],
  ["{}", "plan.json: kind: Invalid discriminator value. Expected 'rounds' | 'rate'"],
])("of a plan.json with %j the reason is said in words", async (text, said) => {
  writeFileSync(join(folder, PLAN_FILE), text);
  await expect(readPlan(folder)).rejects.toThrow(`has no plan that can be read (${said}`);
});
