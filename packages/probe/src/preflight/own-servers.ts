import { type CaseManifest, openRecord, type SameWork, shellWord } from "@evenbench/core";
import { maskInTime } from "../mask-in-time.ts";
import type { Expectation } from "../rules.ts";
import { type Answers, expectationFrom } from "./asking.ts";
import { ASPECTS, type Aspect, WIRE } from "./aspects.ts";
import { compareAnswers } from "./compare.ts";
import type { BodyDifference } from "./difference.ts";
import { canonical } from "./json-form.ts";
import { type PreflightKind, type PreflightProblem, type PreflightTarget, problem } from "./options.ts";
import { type CaseBodies, findBodies } from "./own-bodies.ts";
import { refusedAnswers } from "./refused-answers.ts";
import { textOf } from "./whole-response.ts";

/** Kinds of problems that the user may set aside: only who gave the targets can know whether the same work is done. */
export const ASSUMABLE: readonly PreflightKind[] = ["status", "content-type", "length", "digest", "wire"];

/** The judgement of one case's answers by servers that know nothing of Evenbench. */
export interface OwnServersJudgement {
  /** Faults of the answers; empty where all are equal. */
  readonly problems: readonly PreflightProblem[];
  /** The findings about the bodies: what varies in them, and what is hidden. */
  readonly bodies: CaseBodies;
}

/**
 * Judges the answers of servers that know nothing of Evenbench to one case.
 *
 * @param sameWork how bodies are compared: "json" in any order of keys.
 */
export function judgeOwnServers(
  manifest: CaseManifest,
  answers: readonly Answers[],
  targets: readonly PreflightTarget[],
  sameWork: SameWork,
): OwnServersJudgement {
  const bodies = findBodies(manifest, answers, targets, sameWork === "json" ? canonical : undefined);
  // How a refusal comes, such as one that closes the connection, says nothing of the work.
  const problems = [...refusedAnswers(manifest, answers), ...hiddenBodies(manifest, answers)];
  if (problems.length > 0) {
    return { bodies, problems };
  }
  const wire = compareAnswers(manifest, answers, [[OWN_SERVER_WIRE]]);
  // What masks hide is hidden already.
  const compared = bodies.isRewritten ? { ...manifest, masks: [HIDDEN_BEFORE] } : manifest;
  const differing = compareAnswers(compared, bodies.compared, [OWN_SERVER_ASPECTS]).map((problem) => {
    const isOfBodies = problem.kind === "length" || problem.kind === "digest";
    return isOfBodies ? { ...problem, what: [problem.what, ...whyNotMasked(bodies)].join(" ") } : problem;
  });
  return { bodies, problems: [...wire, ...differing] };
}

/** Share of a body that masks may hide: what is left shows that the same work is done. */
const HIDDEN_AT_MOST = 0.5;
/** Bytes that masks may hide of any body: a short one may be a time stamp and little else. */
const SHORT_BYTES = 256;
/** Bytes by which what is hidden may differ in any case, as numbers do. */
const LENGTHS_DIFFER_BY = 16;

/**
 * Finds bodies of which masks hide most, such as an error page behind a mask for the whole text; and bodies of one case
 * of which masks hide parts of very different lengths.
 */
function hiddenBodies(
  { id, path, masks }: CaseManifest,
  answers: readonly Answers[],
): readonly PreflightProblem[] {
  const hiding = masks.map((mask) => ({ ...mask, replacement: "" }));
  const seen = answers.flatMap(({ target, responses }) =>
    responses.map(({ body: { length }, body }) => {
      const left = maskInTime(textOf(body), { masks: hiding, variation: null }).length;
      return { target, length, hidden: length - left };
    }),
  );
  const largest = Math.max(0, ...seen.map(({ hidden }) => hidden));
  const spread = largest - Math.min(largest, ...seen.map(({ hidden }) => hidden));
  const differ = spread > Math.max(LENGTHS_DIFFER_BY, HIDDEN_AT_MOST * largest);
  const refused = seen.filter(
    ({ hidden, length }) => differ || (hidden > SHORT_BYTES && hidden > HIDDEN_AT_MOST * length),
  );
  if (refused.length === 0) {
    return [];
  }
  const values = refused.map(
    ({ target, hidden, length }) => [target, `${hidden} of ${length} bytes hidden`] as const,
  );
  const what = `Masks hide so much of the body of ${path}, or parts of such different lengths, that what is left does not show the same work.`;
  const remedy = `Write masks that hide only what varies. ${COMPARE_ANYWAY}`;
  return [problem({ kind: "digest", caseId: id, what, remedy, values: Object.fromEntries(values) })];
}

/** A mask that matches nothing: bodies that were masked before are still called so. */
const HIDDEN_BEFORE: CaseManifest["masks"][number] = {
  name: "what was found",
  pattern: "(?!)",
  replacement: "",
};

/** Says why no masks were made for what varies within targets. */
function whyNotMasked({ targets }: CaseBodies): readonly string[] {
  const refused = Map.groupBy(
    targets.filter(({ refusal }) => refusal !== null),
    ({ refusal }) => refusal,
  );
  return [...refused].map(([refusal, all]) => {
    const names = all.map(({ target }) => target).join(", ");
    return `The body varies by itself on ${names}, and cannot be masked: ${refusal}.`;
  });
}

const COMPARE_ANYWAY = "To compare anyway: --same-work assumed; every output then says so.";
const MASK_IT = `Hide what may differ with --mask '<regex>'. If only the order of keys of JSON differs: --same-work json. ${COMPARE_ANYWAY}`;
/** Gives the remedy for bodies that differ: masks for it, where some are known. */
function maskFor({ masks, isText }: BodyDifference): string {
  if (!isText) {
    return `See why the answers differ: masks hide parts of text alone. ${COMPARE_ANYWAY}`;
  }
  if (masks.length === 0) {
    return MASK_IT;
  }
  const options = masks.map((mask) => `--mask ${shellWord(mask)}`).join(" ");
  return `If that may differ, hide it: ${options} (all these answers are then equal). ${COMPARE_ANYWAY}`;
}

const ASSUME_IT =
  "Find out which answer is right. --same-work assumed compares them anyway, and every output then says so.";

/** The aspects of own servers: masks may hide parts of any length, and what is said to caches may differ. */
const OWN_SERVER_ASPECTS: readonly Aspect[] = ASPECTS.flatMap((aspect) => {
  const { kind } = aspect;
  if (kind === "encoding" || kind === "cache") {
    return [];
  }
  const isOfBody = kind === "length" || kind === "digest";
  const remedies = isOfBody ? { remedy: MASK_IT, remedyFor: maskFor } : { remedy: ASSUME_IT };
  if (kind !== "length") {
    return [{ ...aspect, ...remedies }];
  }
  const valueIn: Aspect["valueIn"] = ({ body }, { masks, variation }) => {
    const masked = maskInTime(body.toString("latin1"), { masks, variation });
    return `${masked.length} bytes${masks.length === 0 ? "" : " once masked"}`;
  };
  // Of a body in its normal form the length is compared, too.
  return [{ ...aspect, ...remedies, valueIn, expected: () => null }];
});

const OWN_SERVER_WIRE: Aspect = {
  ...WIRE,
  remedy: `${WIRE.remedy} --same-work assumed compares them anyway, connecting for each request, and every output then says so.`,
};

/** Makes the expectations of a case by target name: each target's own answer, without what was found to vary. */
export function ownExpectations(
  manifest: CaseManifest,
  { targets }: CaseBodies,
): Readonly<Record<string, Expectation>> {
  return openRecord(
    targets.flatMap(({ target, responses, masks, shape, cold }): [string, Expectation][] => {
      const [first] = responses;
      if (first === undefined) {
        return [];
      }
      const variesInType = responses.some(({ contentType }) => contentType !== first.contentType);
      const expectation: Expectation = {
        ...expectationFrom(first, { ...manifest, masks }),
        ...(variesInType && { variesInType }),
        ...(cold !== null && { isFirstOther: true }),
      };
      if (shape === null) {
        return [[target, { ...expectation, unchecked: "body" }]];
      }
      return [[target, masks.length === 0 ? expectation : { ...expectation, unchecked: "length" }]];
    }),
  );
}

/** Says in sentences what preflight did not compare. */
export function describeUnknown(all: readonly PreflightTarget[], sameWork: SameWork): readonly string[] {
  // A user's app that was built here, from one source and for production.
  const targets = all.filter(({ ownServer }) => ownServer?.facts.builtFrom == null);
  if (targets.length === 0) {
    return remarkIf(sameWork === "json", AS_JSON);
  }
  const namesOf = (subset: readonly PreflightTarget[]) => subset.map(({ name }) => name).join(", ");
  const started = targets.filter(({ ownServer }) => ownServer?.facts.command != null);
  const byNodeEnv = Map.groupBy(started, ({ nodeEnv = "production" }) => nodeEnv);
  const reason =
    targets.length === 1 ? "this target does not name its own" : "these targets do not name theirs";
  const alsoEnvironment = started.length === targets.length ? "" : "NODE_ENV, ";
  return [
    ...[...byNodeEnv].map(([value, ofValue]) => `${namesOf(ofValue)}: started with NODE_ENV=${value}.`),
    `${namesOf(targets)}: preflight did not compare ${alsoEnvironment}versions or builds, since ${reason}.`,
    ...remarkIf(sameWork === "json", AS_JSON),
  ];
}

const AS_JSON = "Bodies were compared as JSON: the order of keys, and space between them, do not count.";

function remarkIf(isSo: boolean, remark: string): readonly string[] {
  return isSo ? [remark] : [];
}

/** Says in sentences what is remarkable about the headers of a case's answers. */
export function remarksOn({ path }: CaseManifest, answers: readonly Answers[]): readonly string[] {
  const wordsOf = ({ responses: [first] }: Answers) => first?.cacheRules || "nothing";
  const cacheRules = answers.map((answer) => `${answer.target} "${wordsOf(answer)}"`).join(", ");
  const setting = answers.filter(({ responses }) => responses.some(({ setsCookie }) => setsCookie));
  const cookies = setting.map(({ target }) => target).join(", ");
  return [
    ...remarkIf(
      new Set(answers.map(wordsOf)).size > 1,
      `Targets say different things to caches about ${path}: ${cacheRules}.`,
    ),
    ...remarkIf(cookies !== "", `${cookies} set a cookie with ${path}; no request sends it back.`),
  ];
}
