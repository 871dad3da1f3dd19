import { setTimeout as delay } from "node:timers/promises";
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
  askOnce,
  askOwnServer,
  type Connected,
  connectTarget,
  expectationFrom,
  fetchIdentity,
  isLate,
  problemOfCase,
  problemOfTarget,
  shortestMs,
} from "./asking.ts";
import { compareAnswers, describeVariation, findFailures } from "./compare.ts";
import { showsMinute, untilNextMinute } from "./minute-clock.ts";
import {
  type CollectedFindings,
  emptyFindings,
  type PreflightOptions,
  type PreflightProblem,
  type PreflightResult,
  type PreflightTarget,
  problem,
} from "./options.ts";
import { foundMasks } from "./own-bodies.ts";
import {
  ASSUMABLE,
  describeUnknown,
  judgeOwnServers,
  ownExpectations,
  refusedAnswers,
  remarksOn,
} from "./own-servers.ts";

/** Checks that all targets do the same work, before anything is timed. Never rejects for what a target does. */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const { targets, sameWork = "proven", otherCaseIds = [] } = options;
  const found = emptyFindings();
  const ownServers = targets.filter(({ ownServer }) => ownServer !== undefined);
  const all = targets.map((target) => connectTarget(target, options));
  try {
    const reached = new Set<Connected>();
    for (const target of all) {
      if (await isReached(target, found)) {
        reached.add(target);
      }
    }
    if (ownServers.length > 0) {
      found.unknown.push(...describeUnknown(ownServers, sameWork));
    } else {
      found.problems.push(...comparePins(found.identities, otherCaseIds));
    }
    const asked: AskedCase[] = [];
    for (const manifest of options.cases) {
      const before = found.problems.length;
      const answers = await askAll(reached, manifest, found);
      asked.push({ manifest, answers, isWhole: found.problems.length === before });
    }
    for (const askedCase of asked) {
      if (isWorthAsking(askedCase, options, found)) {
        await askLater(askedCase, reached, options, found);
      }
    }
    await askInNextMinute(asked, reached, options, found);
    await askAfterRestart(asked, reached, options, found);
    for (const askedCase of asked) {
      judge(askedCase, options, found);
    }
    return resultOf(found, options, asksOwnServers(options));
  } finally {
    for (const target of all) {
      target.fetchOptions.agent.destroy();
    }
  }
}

/** A case with the answers that targets gave so far. */
interface AskedCase {
  readonly manifest: CaseManifest;
  readonly answers: Answers[];
  /** True where every target that was reached has answered. */
  readonly isWhole: boolean;
}

/**
 * Tells whether it makes sense to ask for a case once more: not where its answers are no work, or cannot be
 * compared.
 */
function isWorthAsking(asked: AskedCase, options: PreflightOptions, found: CollectedFindings): boolean {
  const { manifest, answers } = asked;
  // What differs between own servers may be what varies within each.
  return asksOwnServers(options)
    ? options.sameWork === "assumed" || refusedAnswers(manifest, answers, options.targets).length === 0
    : problemsOf(asked, options, found).length === 0;
}

/**
 * Milliseconds until a case is asked for once more: longer than a second, which many clocks show, and than a
 * timer may be early.
 */
export const LATER_MS = 1100;

/** Asks for a case once more, so that what changes from one second to the next is found before it ruins a run. */
async function askLater(
  { manifest, answers }: AskedCase,
  reached: Set<Connected>,
  { laterMs = LATER_MS, signal }: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  // What has golden values was the same for a longer time.
  if (manifest.golden !== null) {
    return;
  }
  for (const [index, { target: name, responses, askedAt }] of answers.entries()) {
    const target = [...reached].find((connected) => connected.name === name);
    if (target === undefined) {
      continue;
    }
    await delay(Math.max(0, askedAt + laterMs - performance.now()), undefined, { signal }).catch(() => {});
    try {
      const later = await askOnce(target, manifest);
      answers[index] = { target: name, responses: [...responses, later], askedAt, freshAt: [0] };
    } catch (error) {
      found.problems.push(problemOfCase(target, manifest, error, caseSourceOf(manifest, found.identities)));
      reached.delete(target);
    }
  }
}

/** A server's timer may be late by this, in milliseconds. */
const AFTER_THE_MINUTE_MS = 500;

/**
 * Asks own servers once more when the next minute has begun, for the cases whose answers show the present one: a
 * clock without seconds would otherwise be found by the run that it ruins.
 */
async function askInNextMinute(
  asked: readonly AskedCase[],
  reached: Set<Connected>,
  options: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  if (!asksOwnServers(options) || options.signal?.aborted) {
    return;
  }
  const shown = asked.filter(
    (askedCase) => isWorthAsking(askedCase, options, found) && askedCase.answers.some(showsItsMinute),
  );
  if (shown.length === 0) {
    return;
  }
  const { signal, onWait, nextMinuteMs = untilNextMinute(Date.now()) + AFTER_THE_MINUTE_MS } = options;
  onWait?.(
    `${shown.map(({ manifest }) => manifest.path).join(", ")} may show a clock without seconds: preflight waits ${Math.ceil(nextMinuteMs / 1000)} s for the next minute, and asks again.`,
  );
  await delay(nextMinuteMs, undefined, { signal }).catch(() => {});
  for (const askedCase of shown) {
    await askLater(askedCase, reached, { ...options, laterMs: 0 }, found);
  }
}

/** Tells whether answers show the minute in which they were asked for, or that of the last one. */
function showsItsMinute({ responses, askedAt }: Answers): boolean {
  const firstAtMs = performance.timeOrigin + askedAt;
  return responses.some(({ body }) => {
    const text = body.toString("latin1");
    return showsMinute(text, firstAtMs) || showsMinute(text, Date.now());
  });
}

/**
 * Asks own servers for all cases once more after another start, so that what changes from start to start is found.
 */
async function askAfterRestart(
  asked: readonly AskedCase[],
  reached: ReadonlySet<Connected>,
  options: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  const { restart, signal } = options;
  const isSound = asked.every((askedCase) => askedCase.isWhole && isWorthAsking(askedCase, options, found));
  if (restart === undefined || !asksOwnServers(options) || !isSound || signal?.aborted) {
    return;
  }
  const urls = await restart();
  for (const target of reached) {
    const url = urls[target.name];
    if (url === undefined) {
      continue;
    }
    const again = connectTarget({ ...target, url }, options);
    try {
      for (const { manifest, answers } of asked) {
        const index = answers.findIndex(({ target: name }) => name === target.name);
        const before = answers[index];
        if (before !== undefined) {
          answers[index] = await withFreshAnswers(before, again, manifest);
        }
      }
    } catch (error) {
      found.problems.push(problemOfTarget(again, "/", error, null));
    } finally {
      again.fetchOptions.agent.destroy();
    }
  }
}

async function withFreshAnswers(
  { responses, freshAt, ...before }: Answers,
  again: Connected,
  manifest: CaseManifest,
): Promise<Answers> {
  const fresh = [await askOnce(again, manifest), await askOnce(again, manifest)];
  return { ...before, responses: [...responses, ...fresh], freshAt: [...freshAt, responses.length] };
}

function asksOwnServers({ targets }: PreflightOptions): boolean {
  return targets.some(({ ownServer }) => ownServer !== undefined);
}

/** Finds what is wrong with the answers to a case so far. */
function problemsOf(
  { manifest, answers }: AskedCase,
  options: PreflightOptions,
  { identities }: CollectedFindings,
): readonly PreflightProblem[] {
  const { targets, sameWork = "proven" } = options;
  if (asksOwnServers(options)) {
    return judgeOwnServers(manifest, answers, targets, sameWork).problems;
  }
  const source = caseSourceOf(manifest, identities);
  const failure = findFailures(manifest, answers, source);
  if (failure !== null) {
    return [failure];
  }
  return compareAnswers(manifest, answers).map((differing) => {
    return { ...differing, remedy: `${differing.remedy} Its source: ${source}.` };
  });
}

/** Judges a case's answers, and adds to the findings what they show. */
function judge(asked: AskedCase, options: PreflightOptions, found: CollectedFindings): void {
  const { manifest, answers, isWhole } = asked;
  if (asksOwnServers(options)) {
    judgeOwn(asked, options, found);
    return;
  }
  const problems = problemsOf(asked, options, found);
  found.problems.push(...problems);
  const varies = describeVariation(manifest, answers);
  if (varies !== null) {
    found.differences[manifest.id] = varies;
  }
  if (isWhole && problems.length === 0) {
    addExpectation(manifest, answers, found);
  }
}

/** Judges a case's answers by own servers, and adds to the findings what they show. */
function judgeOwn(
  { manifest, answers }: AskedCase,
  options: PreflightOptions,
  found: CollectedFindings,
): void {
  const { targets, sameWork = "proven" } = options;
  const { id } = manifest;
  const { problems, bodies } = judgeOwnServers(manifest, answers, targets, sameWork);
  found.problems.push(...problems);
  found.expectations[id] = ownExpectations(manifest, bodies);
  found.headers.push(...remarksOn(manifest, answers));
  if (bodies.remarks.length > 0) {
    found.hidden[id] = bodies.remarks;
  }
  const masks = foundMasks(manifest, bodies);
  if (Object.keys(masks).length > 0) {
    found.masks[id] = masks;
  }
  const cached = answers.flatMap(({ target, responses }) => {
    // The first answer may be what fills the cache.
    const says = responses.at(-1)?.fromCache ?? null;
    return says === null ? [] : [[target, says] as const];
  });
  if (cached.length > 0) {
    found.fromCache[id] = openRecord(cached);
  }
}

/** Asks a target who it is, and adds that to the findings. @returns whether it is asked for cases. */
async function isReached(target: Connected, found: CollectedFindings): Promise<boolean> {
  const { name, url, ownServer, fetchOptions } = target;
  try {
    // Own servers have no /identity: they are asked for their cases alone.
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
    found.problems.push(problemOfTarget(target, "/identity", error, null));
    return false;
  }
}

/** Asks all targets for a case. Those that cannot go on are taken out of `reached`. */
async function askAll(
  reached: Set<Connected>,
  manifest: CaseManifest,
  found: CollectedFindings,
): Promise<Answers[]> {
  const answers: Answers[] = [];
  const source = caseSourceOf(manifest, found.identities);
  for (const target of reached) {
    try {
      const askedAt = performance.now();
      const ask = target.ownServer === undefined ? askForCase : askOwnServer;
      answers.push({ target: target.name, responses: await ask(target, manifest), askedAt, freshAt: [0] });
    } catch (error) {
      found.problems.push(problemOfCase(target, manifest, error, source));
      // A target that did not end one case is not asked for the next: that would be blamed in its place, and take as
      // long. Nor is an own server after any failure: it has no /identity, so nothing has shown that it runs at all.
      if (isLate(error) || target.ownServer !== undefined) {
        reached.delete(target);
      }
    }
  }
  found.exchangeMs[manifest.id] = openRecord(
    answers.map(({ target, responses }) => [target, shortestMs(responses)] as const),
  );
  return answers;
}

/** Adds the expectation of a case whose answers are equal. */
function addExpectation(manifest: CaseManifest, answers: readonly Answers[], found: CollectedFindings): void {
  const sample = answers[0]?.responses[0];
  if (sample === undefined) {
    return;
  }
  const expected = expectationFrom(sample, manifest);
  if (manifest.golden === null && manifest.page === null) {
    const { status, contentType, bytes, sha256 } = expected;
    found.toConfirm[manifest.id] = { status, contentType, bytes, sha256 };
    found.bodiesToConfirm[manifest.id] = sample.body;
  }
  const expectation = { ...expected, ...manifest.golden };
  found.expectations[manifest.id] = openRecord(answers.map(({ target }) => [target, expectation] as const));
}

/** Divides the problems into those that stop a run, and those that were allowed or assumed away. */
function resultOf(
  { problems: all, ...found }: CollectedFindings,
  { allow = [], sameWork }: PreflightOptions,
  areOwnServers: boolean,
): PreflightResult {
  const isAllowed = ({ pin }: PreflightProblem) => pin !== null && (allow === "all" || allow.includes(pin));
  const isAssumed = ({ kind }: PreflightProblem) =>
    areOwnServers && sameWork === "assumed" && ASSUMABLE.includes(kind);
  const problems = all.filter((each) => !isAllowed(each) && !isAssumed(each));
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

/** Finds the path of a case's source; null for a case of own servers, which has none. */
function caseSourceOf(
  { id, request }: CaseManifest,
  identities: Readonly<Record<string, Identity>>,
): string | null {
  if (request !== undefined) {
    return null;
  }
  const [identity] = Object.values(identities);
  return sourceOfCase(identity?.app ?? "", id);
}

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
function comparePins(
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
      remedy: `${remedy} To compare anyway, allow it: --allow ${pin}`,
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
function compareBuild({ name, expectedBuild }: PreflightTarget, { facts }: Identity): PreflightProblem[] {
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
