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
  shortestMs,
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
import { describeUnknown, isAssumable, judgeOwnServers, ownExpectations, remarksOn } from "./own-servers.ts";
import { compareBuild, comparePins } from "./pins.ts";

/** Proves that all targets do the same work, before anything is timed. */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const found = nothingFound();
  const ownServers = options.targets.filter(({ ownServer }) => ownServer !== undefined);
  const all = options.targets.map((target) => connect(target, options));
  const reached = await reach(all, found);
  if (ownServers.length > 0) found.unknown.push(...describeUnknown(ownServers, options.sameWork ?? "proven"));
  else found.problems.push(...comparePins(found.identities, options.otherCaseIds ?? []));
  for (const manifest of options.cases) {
    const before = found.problems.length;
    const answers = await askAll(reached, manifest, found);
    if (ownServers.length > 0) {
      judgeOwnServerCase(manifest, answers, options, found);
      continue;
    }
    judgeCase(manifest, answers, found);
    if (found.problems.length === before) expect(manifest, answers, found);
  }
  for (const target of all) target.fetchOptions.agent.destroy();
  return resultOf(found, options, ownServers.length > 0);
}

async function reach(all: readonly Connected[], found: Found): Promise<Set<Connected>> {
  const reached = new Set<Connected>();
  for (const target of all) {
    try {
      // Whoever knows nothing of us is only asked for its cases.
      const identity =
        target.ownServer === undefined
          ? await fetchIdentity(target.url, target.fetchOptions)
          : ownServerIdentity(target.ownServer.facts);
      if (identity.pins.mode === DEVELOPMENT_PIN.mode) {
        found.problems.push(forDeveloping(target));
        continue;
      }
      found.identities[target.name] = identity;
      found.problems.push(...compareBuild(target, identity));
      reached.add(target);
    } catch (error) {
      found.problems.push(down(target, "/identity", error, null));
    }
  }
  return reached;
}

/** Those that cannot go on are taken out of `reached`. */
async function askAll(reached: Set<Connected>, manifest: CaseManifest, found: Found): Promise<Answers[]> {
  const answers: Answers[] = [];
  const source = sourceOf(manifest, found.identities);
  for (const target of reached) {
    const asked = await askForCase(target, manifest, source);
    if ("problem" in asked) {
      found.problems.push(asked.problem);
      // Cases after the one that stopped it would be blamed in its place; and each would take as long.
      // And whoever knows nothing of us has shown no more than this of being there.
      if (asked.isLate || target.ownServer !== undefined) reached.delete(target);
      continue;
    }
    answers.push({ target: target.name, responses: asked.responses });
    const times = Object.entries(found.exchangeMs[manifest.id] ?? {});
    found.exchangeMs[manifest.id] = openRecord([...times, [target.name, shortestMs(asked.responses)]]);
  }
  return answers;
}

function judgeOwnServerCase(
  manifest: CaseManifest,
  answers: readonly Answers[],
  { targets, sameWork = "proven" }: PreflightOptions,
  found: Found,
): void {
  found.problems.push(...judgeOwnServers(manifest, answers, targets, sameWork));
  found.expectations[manifest.id] = ownExpectations(manifest, answers);
  found.unknown.push(...remarksOn(manifest, answers));
}

function judgeCase(manifest: CaseManifest, answers: readonly Answers[], found: Found): void {
  const source = sourceOf(manifest, found.identities);
  const differing = compareAnswers(manifest, answers);
  found.problems.push(
    ...differing.map((found) => ({ ...found, remedy: `${found.remedy} Its source: ${source}.` })),
  );
  const varies = describeVariation(manifest, answers);
  if (varies !== null) found.differences.push(varies);
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
  const ofAll = { ...expected, ...manifest.golden };
  found.expectations[manifest.id] = openRecord(answers.map(({ target }) => [target, ofAll] as const));
}

function resultOf(
  { problems: all, ...found }: Found,
  { allow = [], sameWork }: PreflightOptions,
  isOfOwnServers: boolean,
): PreflightResult {
  const isAllowed = ({ pin }: PreflightProblem) => pin !== null && (allow === "all" || allow.includes(pin));
  const isAssumed = (found: PreflightProblem) =>
    isOfOwnServers && sameWork === "assumed" && isAssumable(found);
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
