import { CASE_FAILED, type CaseManifest, caseInWords, parseJson, shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { maskedDigest } from "../body.ts";
import type { Answers } from "./asking.ts";
import { ASPECTS, type Aspect, DELIVERY, RENDERING, WIRE } from "./aspects.ts";
import { CACHE_STATES } from "./cache-headers.ts";
import { findDifference } from "./difference.ts";
import { type PreflightProblem, problem, quoteBytes } from "./options.ts";
import type { WholeResponse } from "./whole-response.ts";

/**
 * Finds a case that threw, or a target that answers with an error of its own: nothing else of such an answer is
 * compared.
 *
 * @param source path of the case's source; null where it is not known.
 * @returns null where no answer is an error of a server (5xx), and where the case is meant to give one.
 */
export function findFailures(
  manifest: CaseManifest,
  answers: readonly Answers[],
  source: string | null,
): PreflightProblem | null {
  const { id, golden } = manifest;
  if ((golden?.status ?? 200) >= 500) {
    return null;
  }
  const failed = answers.flatMap(({ target, responses }) => {
    const response = responses.find(({ status }) => status >= 500);
    return response === undefined ? [] : [{ target, response }];
  });
  if (failed.length === 0) {
    return null;
  }
  const names = failed.map(({ target }) => target).join(", ");
  const where = failed.length === answers.length && answers.length > 1 ? "all targets" : names;
  const hasThrown = failed.every(({ response }) => saysThatItThrew(response));
  const statuses = [...new Set(failed.map(({ response }) => `HTTP ${response.status}`))].join(", ");
  const mend = source === null ? "Mend the case" : `Mend ${source}`;
  return problem({
    kind: hasThrown ? "threw" : "status",
    caseId: id,
    what: `${caseInWords(manifest, "Case")} ${hasThrown ? "threw" : `answers ${statuses}`} on ${where}.`,
    values: Object.fromEntries(failed.map(({ target, response }) => [target, `HTTP ${response.status}`])),
    remedy: `${mend}: an error cannot be accepted. \`npm run dev\` shows the line, and the target's log what happened.`,
  });
}

/** Tells whether a response is what the handler of cases (packages/bundle) answers for a case that threw. */
function saysThatItThrew({ body }: WholeResponse): boolean {
  const said = parseJson(body.toString());
  return typeof said === "object" && said !== null && "title" in said && said.title === CASE_FAILED;
}

/**
 * Compares the answers of targets to one case. Of each group of aspects only the first difference is a problem: it
 * explains those after it.
 */
export function compareAnswers(
  manifest: CaseManifest,
  answers: readonly Answers[],
  groups: readonly (readonly Aspect[])[] = groupsOf(manifest),
): PreflightProblem[] {
  return groups.flatMap((group) => {
    for (const aspect of group) {
      const found = differenceIn(aspect, manifest, answers);
      if (found !== null) {
        return [found];
      }
    }
    return [];
  });
}

/** Chooses what is compared of a case's answers. */
function groupsOf({ page, cached }: CaseManifest): readonly (readonly Aspect[])[] {
  if (cached !== undefined) {
    // Each cache has its own headers, and says something else of each answer.
    return [[WIRE], ASPECTS.filter(({ kind }) => kind !== "cache")];
  }
  if (page === null) {
    return [[WIRE], ASPECTS];
  }
  return [[WIRE], ASPECTS, [RENDERING], page.streams === null ? [] : [DELIVERY]];
}

/** Finds whether targets differ in one aspect, or all from what is expected; null where they do not. */
function differenceIn(
  aspect: Aspect,
  manifest: CaseManifest,
  answers: readonly Answers[],
): PreflightProblem | null {
  const expected = aspect.expected(manifest);
  const seen = answers.map(({ target, responses }) => {
    const values = responses.map((response) => aspect.valueIn(response, manifest, responses));
    return { target, values: [...new Set(values)] };
  });
  const distinct = new Set(seen.flatMap(({ values }) => values));
  const agree = distinct.size === 1;
  if (expected !== null) {
    distinct.add(expected);
  }
  if (distinct.size <= 1) {
    return null;
  }
  const values = Object.fromEntries(seen.map(({ target, values }) => [target, values.join(", then ")]));
  return problem({
    kind: aspect.kind,
    caseId: manifest.id,
    values: expected === null ? values : { expected, ...values },
    ...(agree && manifest.golden !== null && aspect.what === undefined
      ? otherThanGolden(aspect, manifest)
      : explain(aspect, manifest, answers)),
  });
}

function otherThanGolden(
  { noun }: Aspect,
  manifest: CaseManifest,
): Pick<PreflightProblem, "what" | "remedy"> {
  const { id, variation } = manifest;
  const length = variation === null ? "" : " Keep the length of what is wrapped in volatile(...) constant.";
  return {
    what: `All targets agree on the ${noun} of ${caseInWords(manifest)}, but its golden value differs.`,
    remedy: `If the case was changed on purpose, accept it: ${EVENBENCH} preflight --accept ${shellWord(id)}. Otherwise undo the change.${length}`,
  };
}

function explain(
  { kind, noun, what, remedy, remedyFor }: Aspect,
  manifest: CaseManifest,
  answers: readonly Answers[],
): Pick<PreflightProblem, "what" | "remedy"> {
  if (what !== undefined) {
    return { what: what(manifest), remedy };
  }
  const { golden } = manifest;
  const difference = kind === "length" || kind === "digest" ? findDifference(manifest, answers) : null;
  if (difference !== null) {
    const headers = [...differingCaches(answers), ...differingHeaders(answers)];
    const sentences = [`Bodies of ${caseInWords(manifest)} differ.`, ...headers, difference.sentence];
    return { what: sentences.join(" "), remedy: remedyFor?.(difference) ?? remedy };
  }
  const differs = golden === null ? "differs between targets" : "is not as expected everywhere";
  return { what: `The ${noun} of ${caseInWords(manifest)} ${differs}.`, remedy };
}

/** Says what caches on the way say they did, where that differs and so may explain the rest; else nothing. */
function differingCaches(answers: readonly Answers[]): readonly string[] {
  const said = answers.map(({ target, responses }) => {
    return { target, states: [...new Set(responses.map(({ cacheState }) => cacheState || "nothing"))] };
  });
  if (new Set(said.flatMap(({ states }) => states)).size <= 1) {
    return [];
  }
  const each = said.map(({ target, states }) => `${target} ${states.join(", then ")}`);
  return [`Their headers differ already, so that a cache may answer: ${each.join("; ")}.`];
}

/**
 * Headers that are never named as a possible reason for bodies that differ: of connections, of caches, of what
 * a server calls itself. No header decides here: those that are compared are in `ASPECTS` and `cacheRulesIn`.
 */
const NEVER_A_HINT: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "date",
  "etag",
  "keep-alive",
  "last-modified",
  "server",
  "server-timing",
  "set-cookie",
  "transfer-encoding",
  "via",
  "x-powered-by",
  ...CACHE_STATES,
]);
/** How many headers are named. */
const HEADERS_SHOWN = 3;

/**
 * Names headers that are the same in all answers of each target, and differ between targets: they may say why
 * bodies do.
 */
function differingHeaders(answers: readonly Answers[]): readonly string[] {
  const names = new Set(
    answers.flatMap(({ responses }) => responses.flatMap(({ headers }) => Object.keys(headers))),
  );
  const differing = [...names].sort().flatMap((name) => {
    if (NEVER_A_HINT.has(name)) {
      return [];
    }
    const said = answers.map(({ target, responses }) => {
      return { target, values: new Set(responses.map(({ headers }) => String(headers[name] ?? "nothing"))) };
    });
    // A request's id differs by itself.
    const isSteady = said.every(({ values }) => values.size === 1);
    if (!isSteady || new Set(said.flatMap(({ values }) => [...values])).size === 1) {
      return [];
    }
    const each = said.map(({ target, values }) => `${target} ${quoteBytes(Buffer.from([...values].join()))}`);
    return [`${name} (${each.join(", ")})`];
  });
  if (differing.length === 0) {
    return [];
  }
  const more = differing.length > HEADERS_SHOWN ? ` and ${differing.length - HEADERS_SHOWN} more` : "";
  return [`Headers that differ between targets: ${differing.slice(0, HEADERS_SHOWN).join("; ")}${more}.`];
}

/**
 * Says how bodies of a case differ that are equal in their normal form.
 *
 * @returns null where the case has no normal form, and where all bodies are the same but for what its masks hide.
 */
export function describeVariation(
  { id, masks, variation }: CaseManifest,
  answers: readonly Answers[],
): string | null {
  if (variation === null || answers.length === 0) {
    return null;
  }
  const bodies = answers.flatMap(({ responses }) => responses.map(({ body }) => body));
  const digests = new Set(bodies.map((body) => maskedDigest(body, { masks, variation: null })));
  if (digests.size === 1) {
    return null;
  }
  const lengths = answers.map(({ target, responses }) => {
    const bytes = responses.map(({ body }) => body.length);
    return `${target} ${[...new Set(bytes)].join(" and ")}`;
  });
  const form = `Compared in their normal form (${variation.normalForm}), they are equal`;
  return `Bodies of ${id} differ: ${variation.reason} ${form}. Bytes of one answer: ${lengths.join(", ")}.`;
}
