import {
  type CaseManifest,
  DEVELOPMENT_PIN,
  type Golden,
  type Identity,
  openRecord,
  sourceOfCase,
} from "@evenbench/core";
import { type Expectation, maskedDigest } from "../index.ts";
import type { Answers } from "./answers.ts";
import { compareBodies } from "./bodies.ts";
import { compareBuild } from "./build.ts";
import { ask, type Connected, connect, down } from "./connected.ts";
import type { PreflightOptions, PreflightResult, PreflightTarget } from "./options.ts";
import { describeVariation, lookAtPage } from "./page.ts";
import { comparePins } from "./pins.ts";
import type { PreflightProblem } from "./problem.ts";
import type { WholeResponse } from "./response.ts";
import {
  describeUnknown,
  identityOf,
  isAssumable,
  judgeStrangers,
  ownExpectations,
  remarksOn,
} from "./strangers.ts";

/**
 * Proves that all targets do the same work, before anything is timed: equal pins, NODE_ENV "production", HTTP/1.1 with
 * kept connections, no compression, and for each case the status, content type, length and masked body of its golden
 * values (or the same ones everywhere, where it has none yet). Of targets without an identity the answers alone are compared. Speaks HTTP alone and never throws for what a target does.
 */
export async function preflight(options: PreflightOptions): Promise<PreflightResult> {
  const found: PreflightProblem[] = [];
  const identities = openRecord<Identity>();
  const expectations = openRecord<Expectation>();
  const toConfirm = openRecord<Golden>();
  const bodiesToConfirm = openRecord<Buffer>();
  const exchangeMs = openRecord<Record<string, number>>();
  const differences: string[] = [];
  const own = openRecord<Readonly<Record<string, Expectation>>>();
  const unknown: string[] = [];
  const strangers = options.targets.filter(({ stranger }) => stranger !== undefined);
  if (strangers.length > 0) unknown.push(describeUnknown(strangers));
  const reached = new Set<Connected>();
  const all = options.targets.map((target) => connect(target, options));

  for (const target of all) {
    try {
      const identity = await identityOf(target, target.fetchOptions);
      if (identity.pins.mode === DEVELOPMENT_PIN.mode) {
        found.push(forDeveloping(target));
        continue;
      }
      identities[target.name] = identity;
      found.push(...compareBuild(target, identity));
      reached.add(target);
    } catch (error) {
      found.push(down(target, "/identity", error, null));
    }
  }
  if (strangers.length === 0) found.push(...comparePins(identities, options.otherCaseIds ?? []));

  for (const manifest of options.cases) {
    const before = found.length;
    const answers: Answers[] = [];
    const source = sourceOf(manifest, identities);
    for (const target of reached) {
      const asked = await ask(target, manifest, source);
      if ("problem" in asked) {
        found.push(asked.problem);
        // Cases after the one that stopped it would be blamed in its place; and each would take as long.
        // And whoever knows nothing of us has shown no more than this of being there.
        if (asked.isLate || target.stranger !== undefined) reached.delete(target);
        continue;
      }
      answers.push({ target: target.name, responses: asked.responses });
      const [, second] = asked.responses;
      const times = Object.entries(exchangeMs[manifest.id] ?? {});
      exchangeMs[manifest.id] = openRecord([...times, [target.name, second.elapsedMs]]);
    }
    if (strangers.length > 0) {
      found.push(...[compareWire(manifest, answers)].filter(isProblem));
      found.push(...judgeStrangers(manifest, answers, options.targets));
      own[manifest.id] = ownExpectations(manifest, answers);
      unknown.push(...remarksOn(manifest, answers));
      continue;
    }
    const differing = [compareWire(manifest, answers), compareBodies(manifest, answers)].filter(isProblem);
    found.push(...differing.map((problem) => pointTo(source, problem)));
    if (manifest.page !== null) found.push(...lookAtPage(manifest, manifest.page, answers));
    const varies = describeVariation(manifest, answers);
    if (varies !== null) differences.push(varies);
    const sample = answers[0]?.responses[0];
    if (found.length > before || sample === undefined) continue;
    const golden = manifest.golden ?? goldenOf(manifest, sample);
    if (manifest.golden === null && manifest.page === null) {
      toConfirm[manifest.id] = golden;
      bodiesToConfirm[manifest.id] = sample.body;
    }
    const { masks, variation, page } = manifest;
    expectations[manifest.id] = { ...golden, masks, variation, isPage: page !== null };
  }

  for (const target of all) target.fetchOptions.agent.destroy();
  const isAllowed = ({ pin }: PreflightProblem) => pin !== null && (options.allow ?? []).includes(pin);
  const isAssumed = (problem: PreflightProblem) =>
    strangers.length > 0 && options.sameWork === "assumed" && isAssumable(problem);
  const problems = found.filter((problem) => !isAllowed(problem) && !isAssumed(problem));
  const warnings = found.filter(isAllowed);
  const ok = problems.length === 0;
  return {
    ok,
    problems,
    warnings,
    assumed: found.filter(isAssumed),
    unknown,
    differences,
    identities,
    expectations,
    ownExpectations: own,
    toConfirm,
    bodiesToConfirm,
    exchangeMs,
  };
}

function isProblem(problem: PreflightProblem | null): problem is PreflightProblem {
  return problem !== null;
}

function forDeveloping({ name, url }: PreflightTarget): PreflightProblem {
  return {
    kind: "development",
    pin: null,
    caseId: null,
    what: `${name} at ${url} is a server for developing: its builds are not to be measured.`,
    values: {},
    remedy: "Measure the local targets (npm run bench), or deploy it and give that URL.",
  };
}

/** The source of a case, for people; null where nobody knows it. All targets have one app. */
function sourceOf(
  { id, request }: CaseManifest,
  identities: Readonly<Record<string, Identity>>,
): string | null {
  if (request !== undefined) return null;
  const [identity] = Object.values(identities);
  return sourceOfCase(identity?.app ?? "", id);
}

function pointTo(source: string | null, problem: PreflightProblem): PreflightProblem {
  return { ...problem, remedy: `${problem.remedy} Its source: ${source}.` };
}

function compareWire(manifest: CaseManifest, answers: readonly Answers[]): PreflightProblem | null {
  const describe = ({ httpVersion, keepAlive }: WholeResponse) =>
    `HTTP/${httpVersion}, connection ${keepAlive ? "kept" : "closed"}`;
  const values = Object.fromEntries(
    answers.map(({ target, responses }) => [target, [...new Set(responses.map(describe))].join(", then ")]),
  );
  const expected = "HTTP/1.1, connection kept";
  if (Object.values(values).every((value) => value === expected)) return null;
  return {
    kind: "wire",
    pin: null,
    caseId: manifest.id,
    what: `Case "${manifest.id}" does not come over HTTP/1.1 with a kept connection everywhere.`,
    values: { expected, ...values },
    remedy: "Turn keep-alive on at the target, or at the proxy in front of it.",
  };
}

function goldenOf(manifest: CaseManifest, response: WholeResponse): Golden {
  const { status, contentType, body } = response;
  return { status, contentType, bytes: body.length, sha256: maskedDigest(body, manifest) };
}
