import { advising, type Identity, openRecord } from "@evenbench/core";
import { type PreflightProblem, type PreflightTarget, problem } from "./options.ts";

const NOT_GIVEN = "(not given)";

/** Pins with the value that they must have: where they are equal but wrong, the comparison is as meaningless. */
const REQUIRED = new Map([
  ["nodeEnv.artifact", "production"],
  ["nodeEnv.runtime", "production"],
  // Given by the sides of experiments alone.
  ["experiment", NOT_GIVEN],
]);

const PIN_REMEDIES = new Map(
  Object.entries({
    "nodeEnv.artifact":
      'Build the artifact with NODE_ENV defined as "production" (npm run build), then deploy it again.',
    "nodeEnv.runtime": 'Set NODE_ENV to "production" where the target runs, and start it again.',
    experiment:
      "Stop the target that an experiment built or started, and start the usual one (npm run bench -- serve, or npm run build).",
    artifact: "Build once (npm run build) and deploy the same artifact to every target.",
  }),
);

/** Says which of the pins that may differ does not exist; null where all do. */
export function unknownSetting(
  allow: readonly string[],
  identities: Readonly<Record<string, Identity>>,
): string | null {
  const given = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const known = new Set([...REQUIRED.keys(), ...PIN_REMEDIES.keys(), BUILD_PIN, ...given]);
  const unknown = allow.find((name) => !known.has(name));
  if (unknown === undefined) {
    return null;
  }
  return `There is no setting "${unknown}" that could be allowed to differ. --allow takes: ${[...known].sort().join(", ")}.`;
}

/** Finds the settings that must be equal and differ, or that must have a value and have another one. */
export function comparePins(
  identities: Readonly<Record<string, Identity>>,
  ignoredCaseIds: readonly string[],
): PreflightProblem[] {
  const given = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const names = [...new Set([...REQUIRED.keys(), ...given])].sort();
  return names.flatMap((pin) => {
    const required = REQUIRED.get(pin);
    const concerned = required === undefined ? ofAppsGiving(pin, identities) : identities;
    const given = Object.entries(concerned).map(
      ([name, { pins }]) => [name, pins[pin] ?? NOT_GIVEN] as const,
    );
    const wanted = required ?? given[0]?.[1];
    const isIgnored = ignoredCaseIds.some((id) => pin.startsWith(`${id}.`));
    if (isIgnored || given.every(([, value]) => value === wanted)) {
      return [];
    }
    const what =
      required === undefined
        ? `The setting "${pin}" must be equal, and differs between targets.`
        : `The setting "${pin}" must be "${required}" everywhere, and is not.`;
    const values = { ...(required !== undefined && { expected: required }), ...openRecord(given) };
    const remedy = PIN_REMEDIES.get(pin) ?? `Give all targets the same "${pin}".`;
    return problem({
      kind: "pin",
      pin,
      what,
      values,
      remedy: `${remedy}${advising("--allow", ` To compare anyway, allow it: --allow ${pin}`)}`,
    });
  });
}

/** A framework's own settings, such as its version, are given by the app that is built with it alone. */
function ofAppsGiving(
  pin: string,
  identities: Readonly<Record<string, Identity>>,
): Readonly<Record<string, Identity>> {
  const all = Object.entries(identities);
  const apps = new Set(all.filter(([, { pins }]) => Object.hasOwn(pins, pin)).map(([, { app }]) => app));
  return openRecord(all.filter(([, { app }]) => apps.has(app)));
}

const BUILD_PIN = "build";

/** Finds whether a deployed target runs another build than the one here. */
export function compareBuild(
  { name, expectedBuild }: PreflightTarget,
  { facts }: Identity,
): PreflightProblem[] {
  if (expectedBuild === null || expectedBuild === undefined) {
    return [];
  }
  const { digest, deployedAt, command } = expectedBuild;
  const running = facts.build ?? "(not given)";
  if (running === digest) {
    return [];
  }
  const deployedNote = deployedAt === null ? "" : ` It was deployed at ${deployedAt}.`;
  return [
    problem({
      kind: "build",
      pin: BUILD_PIN,
      what: `${name} does not run what is built here.${deployedNote}`,
      values: { expected: digest, [name]: running },
      remedy: `Deploy it again: \`${command}\`.`,
    }),
  ];
}
