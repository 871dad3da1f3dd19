import {
  type CaseManifest,
  DEVELOPMENT_PIN,
  type Identity,
  openRecord,
  ownServerIdentity,
  sourceOfCase,
} from "@evenbench/core";
import {
  type Answers,
  askForCase,
  type Connected,
  connect,
  down,
  expectationFrom,
  fetchIdentity,
  isLate,
  shortestMs,
  unanswered,
} from "./asking.ts";
import { compareAnswers, describeVariation } from "./compare.ts";
import {
  type Found,
  nothingFound,
  type PreflightOptions,
  type PreflightProblem,
  type PreflightResult,
  type PreflightTarget,
  problem,
} from "./options.ts";
import { ASSUMABLE, describeUnknown, judgeOwnServers, ownExpectations, remarksOn } from "./own-servers.ts";

/** Proves that all targets do the same work, before anything is timed. */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const { targets, sameWork = "proven", otherCaseIds = [] } = options;
  const found = nothingFound();
  const ownServers = targets.filter(({ ownServer }) => ownServer !== undefined);
  const all = targets.map((target) => connect(target, options));
  const reached = new Set<Connected>();
  for (const target of all) if (await isReached(target, found)) reached.add(target);
  if (ownServers.length > 0) found.unknown.push(...describeUnknown(ownServers, sameWork));
  else found.problems.push(...comparePins(found.identities, otherCaseIds));
  for (const manifest of options.cases) {
    const before = found.problems.length;
    const answers = await askAll(reached, manifest, found);
    if (ownServers.length > 0) {
      found.problems.push(...judgeOwnServers(manifest, answers, targets, sameWork));
      found.expectations[manifest.id] = ownExpectations(manifest, answers);
      found.unknown.push(...remarksOn(manifest, answers));
      continue;
    }
    const sourceNote = ` Its source: ${sourceOf(manifest, found.identities)}.`;
    for (const differing of compareAnswers(manifest, answers))
      found.problems.push({ ...differing, remedy: differing.remedy + sourceNote });
    const varies = describeVariation(manifest, answers);
    if (varies !== null) found.differences.push(varies);
    if (found.problems.length === before) expect(manifest, answers, found);
  }
  for (const target of all) target.fetchOptions.agent.destroy();
  return resultOf(found, options, ownServers.length > 0);
}

async function isReached(target: Connected, found: Found): Promise<boolean> {
  const { name, url, ownServer, fetchOptions } = target;
  try {
    // Whoever knows nothing of us is only asked for its cases.
    const identity =
      ownServer === undefined ? await fetchIdentity(url, fetchOptions) : ownServerIdentity(ownServer.facts);
    if (identity.pins.mode === DEVELOPMENT_PIN.mode) {
      found.problems.push(forDeveloping(target));
      return false;
    }
    found.identities[name] = identity;
    found.problems.push(...compareBuild(target, identity));
    return true;
  } catch (error) {
    found.problems.push(down(target, "/identity", error, null));
    return false;
  }
}

/** Those that cannot go on are taken out of `reached`. */
async function askAll(reached: Set<Connected>, manifest: CaseManifest, found: Found): Promise<Answers[]> {
  const answers: Answers[] = [];
  const source = sourceOf(manifest, found.identities);
  for (const target of reached) {
    try {
      answers.push({ target: target.name, responses: await askForCase(target, manifest) });
    } catch (error) {
      found.problems.push(unanswered(target, manifest, error, source));
      // Cases after the one that stopped it would be blamed in its place; and each would take as long.
      // And whoever knows nothing of us has shown no more than this of being there.
      if (isLate(error) || target.ownServer !== undefined) reached.delete(target);
    }
  }
  found.exchangeMs[manifest.id] = openRecord(
    answers.map(({ target, responses }) => [target, shortestMs(responses)] as const),
  );
  return answers;
}

function expect(manifest: CaseManifest, answers: readonly Answers[], found: Found): void {
  const sample = answers[0]?.responses[0];
  if (sample === undefined) return;
  const expected = expectationFrom(sample, manifest);
  if (manifest.golden === null && manifest.page === null) {
    const { status, contentType, bytes, sha256 } = expected;
    found.toConfirm[manifest.id] = { status, contentType, bytes, sha256 };
    found.bodiesToConfirm[manifest.id] = sample.body;
  }
  const expectation = { ...expected, ...manifest.golden };
  found.expectations[manifest.id] = openRecord(answers.map(({ target }) => [target, expectation] as const));
}

function resultOf(
  { problems: all, ...found }: Found,
  { allow = [], sameWork }: PreflightOptions,
  isOfOwnServers: boolean,
): PreflightResult {
  const isAllowed = ({ pin }: PreflightProblem) => pin !== null && (allow === "all" || allow.includes(pin));
  const isAssumed = ({ kind }: PreflightProblem) =>
    isOfOwnServers && sameWork === "assumed" && ASSUMABLE.includes(kind);
  const problems = all.filter((found) => !isAllowed(found) && !isAssumed(found));
  return {
    ...found,
    ok: problems.length === 0,
    problems,
    warnings: all.filter(isAllowed),
    assumed: all.filter(isAssumed),
  };
}

function forDeveloping({ name, url }: PreflightTarget): PreflightProblem {
  return problem({
    kind: "development",
    what: `${name} at ${url} is a development server, and development builds are never measured.`,
    remedy: "Measure the local targets (npm run bench), or deploy it and give that URL.",
  });
}

function sourceOf(
  { id, request }: CaseManifest,
  identities: Readonly<Record<string, Identity>>,
): string | null {
  if (request !== undefined) return null;
  const [identity] = Object.values(identities);
  return sourceOfCase(identity?.app ?? "", id);
}

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

function comparePins(
  identities: Readonly<Record<string, Identity>>,
  ignoredCaseIds: readonly string[],
): PreflightProblem[] {
  const given = Object.values(identities).flatMap(({ pins }) => Object.keys(pins));
  const names = [...new Set([...REQUIRED.keys(), ...given])].sort();
  return names.flatMap((pin) => {
    const given = Object.entries(identities).map(
      ([name, { pins }]) => [name, pins[pin] ?? NOT_GIVEN] as const,
    );
    const required = REQUIRED.get(pin);
    const wanted = required ?? given[0]?.[1];
    const isIgnored = ignoredCaseIds.some((id) => pin.startsWith(`${id}.`));
    if (isIgnored || given.every(([, value]) => value === wanted)) return [];
    const what =
      required === undefined
        ? `The setting "${pin}" must be equal, and differs between targets.`
        : `The setting "${pin}" must be "${required}" everywhere, and is not.`;
    const values = { ...(required !== undefined && { expected: required }), ...openRecord(given) };
    const remedy = REMEDIES.get(pin) ?? `Give all targets the same "${pin}".`;
    return problem({
      ...{ kind: "pin", pin, what, values },
      remedy: `${remedy} To compare anyway, allow it: --allow ${pin}`,
    });
  });
}

const BUILD_PIN = "build";

function compareBuild({ name, expectedBuild }: PreflightTarget, { facts }: Identity): PreflightProblem[] {
  if (expectedBuild === null || expectedBuild === undefined) return [];
  const { digest, deployedAt, command } = expectedBuild;
  const running = facts.build ?? "(not given)";
  if (running === digest) return [];
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
