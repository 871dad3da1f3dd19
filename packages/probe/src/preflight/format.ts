import { ARTIFACT_APP, type Golden, shellWord, terminalLine } from "@evenbench/core";
import type { PreflightProblem, PreflightResult } from "./options.ts";

export function formatPreflight(result: PreflightResult, accepted: readonly string[] = []): string {
  const blocks = [
    ...result.problems.map((problem) => formatProblem("Problem", problem)),
    ...result.warnings.map((problem) => formatProblem("Allowed", problem)),
    ...result.assumed.map((problem) => formatProblem("Assumed to be the same work", problem)),
    ...Object.entries(result.toConfirm)
      .filter(([caseId]) => !accepted.includes(caseId))
      .map(([caseId, golden]) => toConfirm(result, caseId, golden)),
  ];
  const cases = Object.keys(result.expectations).length;
  const targets = Object.keys(result.identities).join(", ");
  blocks.push(
    result.ok
      ? `Preflight passed: ${count(cases, "case")} ${cases === 1 ? "gives" : "give"} the same on ${targets}.`
      : `Preflight failed: ${count(result.problems.length, "problem")}. Nothing was measured.`,
  );
  return blocks.join("\n\n");
}

export function describeUnconfirmed(caseId: string, golden: Golden): string {
  return `case "${caseId}" has no golden values; all targets agree on ${JSON.stringify(golden)}`;
}

export function goldenSource({ status, contentType, bytes, sha256 }: Golden): string {
  const members = { status, contentType, bytes, sha256 };
  const lines = Object.entries(members).map(([name, value]) => `    ${name}: ${JSON.stringify(value)},\n`);
  return `  golden: {\n${lines.join("")}  },`;
}

function toConfirm({ identities }: PreflightResult, caseId: string, golden: Golden): string {
  const isOfArtifact = Object.values(identities).some(({ app }) => app === ARTIFACT_APP);
  const next = isOfArtifact
    ? `\nThis writes them: npm run bench -- preflight --accept ${shellWord(caseId)}`
    : "";
  return `To confirm: case "${caseId}" has no golden values; all targets agree on\n${goldenSource(golden)}${next}`;
}

function formatProblem(label: string, problem: PreflightProblem): string {
  const width = Math.max(...Object.keys(problem.values).map((name) => name.length));
  // Of a target that is down the sentence says everything.
  const values = problem.kind === "down" ? [] : Object.entries(problem.values);
  return [
    terminalLine(`${label}: ${problem.what}`),
    ...values.map(([name, value]) => terminalLine(`  ${name.padEnd(width)}  ${value}`)),
    terminalLine(`  Remedy: ${problem.remedy}`),
  ].join("\n");
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? "" : "s"}`;
}
