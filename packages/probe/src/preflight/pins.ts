import { type Identity, openRecord } from "@evenbench/core";
import { type PreflightProblem, type PreflightTarget, problem } from "./options.ts";

const NOT_GIVEN = "(not given)";

/** Where they are equal but wrong, the comparison is as meaningless. */
const REQUIRED = new Map([
  ["nodeEnv.artifact", "production"],
  ["nodeEnv.runtime", "production"],
  // Given by the sides of experiments alone.
  ["experiment", NOT_GIVEN],
]);

const REMEDIES = new Map(
  Object.entries({
    "nodeEnv.artifact":
      'Build the artifact with NODE_ENV defined as "production" (npm run build), then deploy it again.',
    "nodeEnv.runtime": 'Set NODE_ENV to "production" where the target runs, and start it again.',
    experiment:
      "Stop the target that an experiment built or started, and start the usual one (npm run bench -- serve, or npm run build).",
    artifact: "Build once (npm run build) and deploy the same artifact to every target.",
  }),
);

export function unknownSetting(
  allow: readonly string[],
  identities: Readonly<Record<string, Identity>>,
): string | null {
  const given = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const known = new Set([...REQUIRED.keys(), ...REMEDIES.keys(), BUILD_PIN, ...given]);
  const unknown = allow.find((name) => !known.has(name));
  if (unknown === undefined) return null;
  return `There is no setting "${unknown}" that could be allowed to differ. --allow takes: ${[...known].sort().join(", ")}.`;
}

export function comparePins(
  identities: Readonly<Record<string, Identity>>,
  ignoredCaseIds: readonly string[],
): PreflightProblem[] {
  const given = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const names = [...new Set([...REQUIRED.keys(), ...given])].sort();
  const problems: PreflightProblem[] = [];
  for (const pin of names) {
    if (ignoredCaseIds.some((id) => pin.startsWith(`${id}.`))) continue;
    const values = openRecord<string>();
    for (const [target, { pins }] of Object.entries(identities)) values[target] = pins[pin] ?? NOT_GIVEN;
    const required = REQUIRED.get(pin);
    const distinct = new Set(Object.values(values));
    if (required !== undefined) distinct.add(required);
    if (Object.keys(values).length === 0 || distinct.size === 1) continue;
    problems.push(
      problem({
        kind: "pin",
        pin,
        what:
          required === undefined
            ? `The setting "${pin}" must be equal, and differs between targets.`
            : `The setting "${pin}" must be "${required}" everywhere, and is not.`,
        values: required === undefined ? values : { expected: required, ...values },
        remedy: `${REMEDIES.get(pin) ?? `Give all targets the same "${pin}".`} To compare anyway, allow it: --allow ${pin}`,
      }),
    );
  }
  return problems;
}

const BUILD_PIN = "build";

export function compareBuild(
  { name, expectedBuild }: PreflightTarget,
  { facts }: Identity,
): PreflightProblem[] {
  if (expectedBuild === null || expectedBuild === undefined) return [];
  const { digest, deployedAt, command } = expectedBuild;
  const running = facts.build ?? "(not given)";
  if (running === digest) return [];
  const when = deployedAt === null ? "" : ` It was deployed at ${deployedAt}.`;
  return [
    problem({
      kind: "build",
      pin: BUILD_PIN,
      what: `${name} does not run what is built here.${when}`,
      values: { expected: digest, [name]: running },
      remedy: `Deploy it again: \`${command}\`.`,
    }),
  ];
}
