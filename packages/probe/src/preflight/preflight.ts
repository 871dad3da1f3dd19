import { setTimeout as delay } from "node:timers/promises";
import { type CaseManifest, DEVELOPMENT_PIN, openRecord, ownServerIdentity } from "@evenbench/core";
import { type AskedCase, asksOwnServers, caseSourceOf, isWorthAsking, problemsOf } from "./asked-case.ts";
import {
  type Answers,
  askForCase,
  askOwnServer,
  type Connected,
  connectTarget,
  expectationFrom,
  fetchIdentity,
} from "./asking.ts";
import { askAfterRestart, askInNextMinute, askLater } from "./asking-again.ts";
import { describeVariation } from "./compare.ts";
import { isLate, problemOfCase, problemOfTarget } from "./no-answer.ts";
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
import { ASSUMABLE, describeUnknown, judgeOwnServers, ownExpectations, remarksOn } from "./own-servers.ts";
import { compareBuild, comparePins } from "./settings.ts";
import { shortestMs } from "./whole-response.ts";

/** Checks that all targets do the same work, before anything is timed. Never rejects for what a target does. */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const { targets, sameWork = "proven", otherCaseIds = [] } = options;
  const found = emptyFindings();
  const ownServers = targets.filter(({ ownServer }) => ownServer !== undefined);
  const all = targets.map((target) => connectTarget(target, options));
  try {
    const areReached = await inTurn(all, (target) => isReached(target, found));
    const reached = new Set(all.filter((_, index) => areReached[index]));
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
    // What has golden values was the same for a longer time.
    for (const askedCase of asked.filter(({ manifest }) => manifest.golden === null)) {
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

/** Milliseconds after which the next target is asked, too, where one has not answered: several that hang are one wait. */
const NEXT_AFTER_MS = 5000;

/** Asks one target after the other. Resolves to what `ask` gives for each, in their order. @param ask never rejects. */
async function inTurn<T>(
  targets: Iterable<Connected>,
  ask: (target: Connected) => Promise<T>,
): Promise<readonly T[]> {
  const asked: Promise<T>[] = [];
  for (const target of targets) {
    const answer = ask(target);
    asked.push(answer);
    await Promise.race([answer, delay(NEXT_AFTER_MS, undefined, { ref: false })]);
  }
  return Promise.all(asked);
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
  const source = caseSourceOf(manifest, found.identities);
  const asked = await inTurn(reached, async (target): Promise<Answers | null> => {
    try {
      const askedAt = performance.now();
      const ask = target.ownServer === undefined ? askForCase : askOwnServer;
      return { target: target.name, responses: await ask(target, manifest), askedAt, freshAt: [0] };
    } catch (error) {
      found.problems.push(problemOfCase(target, manifest, error, source));
      // A target that did not end one case is not asked for the next: that would be blamed in its place, and take as
      // long. Nor is an own server after any failure: it has no /identity, so nothing has shown that it runs at all.
      if (isLate(error) || target.ownServer !== undefined) {
        reached.delete(target);
      }
      return null;
    }
  });
  const answers = asked.filter((each) => each !== null);
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
