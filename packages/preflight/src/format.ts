import type { Golden } from "@evenbench/core";
import type { PreflightResult } from "./preflight.ts";
import type { PreflightProblem } from "./problem.ts";

/** What preflight found, for people: plain text, several lines, without a newline at its end. */
export function formatPreflight(result: PreflightResult): string {
  const blocks = [
    ...result.problems.map((problem) => formatProblem("Problem", problem)),
    ...result.warnings.map((problem) => formatProblem("Allowed", problem)),
    ...Object.entries(result.toConfirm).map(
      ([caseId, golden]) => `To confirm: ${describeUnconfirmed(caseId, golden)}`,
    ),
  ];
  const cases = Object.keys(result.expectations).length;
  const targets = Object.keys(result.identities).join(", ");
  blocks.push(
    result.ok
      ? `Preflight passed: ${count(cases, "case")} give the same on ${targets}.`
      : `Preflight failed: ${count(result.problems.length, "problem")}. Nothing was measured.`,
  );
  return blocks.join("\n\n");
}

/** What to write into a case that has no golden values yet. */
export function describeUnconfirmed(caseId: string, golden: Golden): string {
  return `case "${caseId}" has no golden values; all targets agree on\n  golden: ${JSON.stringify(golden)},`;
}

function formatProblem(label: string, problem: PreflightProblem): string {
  const width = Math.max(...Object.keys(problem.values).map((name) => name.length));
  // Of a target that is down the sentence says everything.
  const values = problem.kind === "down" ? [] : Object.entries(problem.values);
  return [
    `${label}: ${problem.what}`,
    ...values.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    `  Remedy: ${problem.remedy}`,
  ].join("\n");
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? "" : "s"}`;
}
