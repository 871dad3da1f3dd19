import { advising, type CaseManifest, openRecord, type SameWork, shellWord } from "@evenbench/core";
import { maskInTime } from "../mask-in-time.ts";
import type { Expectation } from "../rules.ts";
import { type Answers, expectationFrom, textOf, type WholeResponse } from "./asking.ts";
import { ASPECTS, type Aspect, WIRE } from "./aspects.ts";
import { compareAnswers } from "./compare.ts";
import type { BodyDifference } from "./difference.ts";
import {
  type PreflightKind,
  type PreflightProblem,
  type PreflightTarget,
  problem,
  quoteBytes,
} from "./options.ts";
import { type CaseBodies, findBodies } from "./own-bodies.ts";

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
  const problems = [...refusedAnswers(manifest, answers, targets), ...hiddenBodies(manifest, answers)];
  const wire = compareAnswers(manifest, answers, [[OWN_SERVER_WIRE]]);
  if (problems.length > 0) {
    return { bodies, problems: [...wire, ...problems] };
  }
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

/**
 * Finds answers that are no work at all, such as redirects and errors, so that it makes no sense to ask again.
 *
 * @returns a problem for each target that gave one.
 */
export function refusedAnswers(
  manifest: CaseManifest,
  answers: readonly Answers[],
  targets: readonly PreflightTarget[],
): readonly PreflightProblem[] {
  return answers.flatMap(({ target, responses: [first] }) => {
    const url = targets.find(({ name }) => name === target)?.url ?? "";
    return first === undefined ? [] : (judgeAnswer(manifest, { name: target, url }, first) ?? []);
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

/** A number that is hidden, in the place of a value of JSON. */
const HIDDEN_NUMBER = /([:,[]\s*)\[number\](?=\s*[,}\]])/g;

/**
 * Writes a body of JSON with its keys in order and without space between its parts; any other text as it is.
 *
 * @param text one character for each byte, as the result.
 */
function canonical(text: string): string {
  const readable = text.replace(HIDDEN_NUMBER, '$1"[number]"');
  try {
    const value = JSON.parse(Buffer.from(readable, "latin1").toString("utf8"), exactly);
    return Buffer.from(JSON.stringify(inOrder(value))).toString("latin1");
  } catch {
    return text;
  }
}

/** Keeps whole numbers that JavaScript would round as they are written, where its version says how that is. */
function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return isRounded ? `number ${context?.source ?? value}` : value;
}

/** Copies a value of JSON with the keys of all its objects in ascending order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inOrder);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return openRecord(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, inOrder(member)]),
  );
}

/** Finds why an answer is no work; null where it may be. */
function judgeAnswer(
  { id, path, request }: CaseManifest,
  { name, url }: PreflightTarget,
  { status, location, coding, contentType, body }: WholeResponse,
): PreflightProblem | null {
  if (status >= 300 && status < 400 && location !== null) {
    const what = `${name} redirects ${path} to ${quoteBytes(Buffer.from(location))} (HTTP ${status}), and redirects are not followed.`;
    return problem({
      kind: "redirect",
      caseId: id,
      what,
      remedy: afterRedirect(name, new URL(path, url), location),
    });
  }
  if (coding !== null) {
    const what = `${name} compresses ${path} (encoding ${quoteBytes(Buffer.from(coding))}), though the request accepts no compression.`;
    const remedy =
      'Turn compression off on the target, or at the proxy in front of it: it must honour "accept-encoding: identity".';
    return problem({ kind: "encoding", caseId: id, what, remedy });
  }
  const isPart = status === PARTIAL && request?.headers.some((header) => /^range:/i.test(header)) !== true;
  if (status < 300 && !isPart) {
    return null;
  }
  const what = `${name} answers ${path} with HTTP ${status}: that ${statusMeaning(status)}, and is not the work.${firstWords(contentType, body)}`;
  return problem({ kind: "status", caseId: id, what, ...(status < 500 ? REFUSED : failedAt(name, status)) });
}

/** What to do about an answer that refuses the request. */
const REFUSED = {
  remedy:
    "Correct the path, or give what the server wants (--method, --header, --body). To measure how it refuses, add --same-work assumed.",
};

/** Says what to do about a server that failed. By the value its log is quoted, which says why. */
function failedAt(name: string, status: number) {
  return {
    remedy:
      "Its log says what failed. Where that is a file: on Vercel a function has those that its code names by join(process.cwd(), …), and a Worker reads none.",
    values: { [name]: `HTTP ${status}` },
  };
}

/** The status of a part of a body (RFC 9110, section 15.3.7). */
const PARTIAL = 206;

function statusMeaning(status: number): string {
  if (status === PARTIAL) {
    return "is a part, which nobody asked for";
  }
  if (status === 304) {
    return "says that nothing changed";
  }
  return status < 400 ? "has no page" : "is an error";
}

/** Largest number of letters of an error's text that are quoted. */
const SHOWN_LETTERS = 200;

/** Quotes the first line of a text that says an error; "" for a page, which says it behind its markup. */
function firstWords(contentType: string | null, body: Buffer): string {
  const [line = ""] = body.toString("utf8").trim().split("\n");
  const isText = contentType?.startsWith("text/plain") === true && line !== "";
  return isText ? ` It says ${quoteBytes(Buffer.from(line.slice(0, SHOWN_LETTERS)))}.` : "";
}

function afterRedirect(name: string, url: URL, location: string): string {
  const to = URL.parse(location, url);
  if (to === null) {
    return "Give a path that answers with the page itself.";
  }
  if (to.href === url.href) {
    return 'It leads to itself: send what it wants first, such as a cookie (--header "cookie: …").';
  }
  const path = `--path ${shellWord(to.pathname + to.search)}`;
  const isSame = to.origin === url.origin;
  const there = `--target ${shellWord(`${name}=${to.origin}`)} ${path}`;
  const leads = isSame ? path : advising("--target", there);
  const where = leads === "" ? "It leads to another server." : `Measure where it leads: ${leads}.`;
  return `${where} If it leads to a login, send what logs in: --header "cookie: …".`;
}

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
