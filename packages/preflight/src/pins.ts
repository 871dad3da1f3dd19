import type { Identity } from "@evenbench/core";
import type { PreflightProblem } from "./problem.ts";

const NOT_TOLD = "(not told)";

/** Pins with one value that is right; where they are equal but wrong, the comparison is as meaningless. */
const REQUIRED: Readonly<Record<string, string>> = {
  "nodeEnv.artifact": "production",
  "nodeEnv.runtime": "production",
  // Told by the sides of experiments alone.
  experiment: NOT_TOLD,
};

const REMEDIES: Readonly<Record<string, string>> = {
  "nodeEnv.artifact":
    'Build the artifact with NODE_ENV defined as "production" (npm run build), then deploy it again.',
  "nodeEnv.runtime": 'Set NODE_ENV to "production" where the target runs, and start it again.',
  experiment:
    "Stop the target that an experiment built or started, and start it as it is (evenbench serve, or npm run build).",
  artifact: "Build once (npm run build) and deploy the same artifact to every target.",
};

/**
 * Compares the pins of all targets.
 *
 * @param identities by target name.
 * @param ignoredCaseIds cases whose pins ("<case>.<name>") do not matter.
 */
export function comparePins(
  identities: Readonly<Record<string, Identity>>,
  ignoredCaseIds: readonly string[],
): PreflightProblem[] {
  const told = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const names = [...new Set([...Object.keys(REQUIRED), ...told])].sort();
  const problems: PreflightProblem[] = [];
  for (const pin of names) {
    if (ignoredCaseIds.some((id) => pin.startsWith(`${id}.`))) continue;
    const values: Record<string, string> = {};
    for (const [target, { pins }] of Object.entries(identities)) values[target] = pins[pin] ?? NOT_TOLD;
    const required = REQUIRED[pin];
    const distinct = new Set(Object.values(values));
    if (required !== undefined) distinct.add(required);
    if (Object.keys(values).length === 0 || distinct.size === 1) continue;
    problems.push({
      kind: "pin",
      pin,
      caseId: null,
      what:
        required === undefined
          ? `The pin "${pin}" differs between targets.`
          : `The pin "${pin}" is not "${required}" everywhere.`,
      values: required === undefined ? values : { expected: required, ...values },
      remedy: `${REMEDIES[pin] ?? `Give all targets the same "${pin}".`} To compare all the same, allow it: --allow ${pin}`,
    });
  }
  return problems;
}
