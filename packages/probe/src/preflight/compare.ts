import { type CaseManifest, findRenderMarker, maskBody, shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { maskedDigest } from "../body.ts";
import { type Answers, isDelivered, type WholeResponse } from "./asking.ts";
import { type PreflightKind, type PreflightProblem, problem, quote } from "./options.ts";

/** The first difference of a group explains those after it. */
export function compareAnswers(
  manifest: CaseManifest,
  answers: readonly Answers[],
  groups: readonly (readonly Aspect[])[] = groupsOf(manifest),
): PreflightProblem[] {
  return groups.flatMap((group) => {
    for (const aspect of group) {
      const found = differenceIn(aspect, manifest, answers);
      if (found !== null) return [found];
    }
    return [];
  });
}

function groupsOf({ page }: CaseManifest): readonly (readonly Aspect[])[] {
  if (page === null) return [[WIRE], ASPECTS];
  return [[WIRE], ASPECTS, [RENDERING], page.streams === null ? [] : [DELIVERY]];
}

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
  if (expected !== null) distinct.add(expected);
  if (distinct.size <= 1) return null;
  const values = Object.fromEntries(seen.map(({ target, values }) => [target, values.join(", then ")]));
  return problem({
    kind: aspect.kind,
    caseId: manifest.id,
    values: expected === null ? values : { expected, ...values },
    ...(agree && manifest.golden !== null && aspect.what === undefined
      ? otherThanGolden(aspect, manifest)
      : { what: explain(aspect, manifest, answers), remedy: aspect.remedy }),
  });
}

function otherThanGolden(
  { noun }: Aspect,
  { id, variation }: CaseManifest,
): Pick<PreflightProblem, "what" | "remedy"> {
  const length = variation === null ? "" : " Keep the length of what is wrapped in volatile(...) constant.";
  return {
    what: `All targets agree on the ${noun} of case "${id}", but its golden value differs.`,
    remedy: `If the case was changed on purpose, accept it: ${EVENBENCH} preflight --accept ${shellWord(id)}. Otherwise undo the change.${length}`,
  };
}

function explain({ kind, noun, what }: Aspect, manifest: CaseManifest, answers: readonly Answers[]): string {
  if (what !== undefined) return what(manifest);
  const { id, golden } = manifest;
  const difference = kind === "length" || kind === "digest" ? firstDifference(manifest, answers) : null;
  if (difference !== null) return `Bodies of case "${id}" differ. ${difference}`;
  return `The ${noun} of case "${id}" ${golden === null ? "differs between targets" : "is not as expected everywhere"}.`;
}

const BEFORE = 12;
const AFTER = 24;

function firstDifference(manifest: CaseManifest, answers: readonly Answers[]): string | null {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => ({ target, bytes: maskBody(body.toString("latin1"), manifest) })),
  );
  const first = bodies[0]?.bytes ?? "";
  if (bodies.every(({ bytes }) => bytes === first)) return null;
  let offset = 0;
  while (bodies.every(({ bytes }) => bytes[offset] === first[offset])) offset++;
  const from = Math.max(0, offset - BEFORE);
  const shown = Map.groupBy(bodies, ({ bytes }) =>
    quote(Buffer.from(bytes.slice(from, offset + AFTER), "latin1")),
  );
  const descriptions = [...shown].map(([excerpt, sent]) => {
    return `${excerpt} from ${[...new Set(sent.map(({ target }) => target))].join(", ")}`;
  });
  return `They differ from byte ${offset} of the masked body: ${descriptions.join("; ")}.`;
}

export interface Aspect {
  readonly kind: PreflightKind;
  readonly noun: string;
  readonly remedy: string;
  what?(manifest: CaseManifest): string;
  valueIn(response: WholeResponse, manifest: CaseManifest, responses: readonly WholeResponse[]): string;
  /** null where only golden values would tell and there are none. */
  expected(manifest: CaseManifest): string | null;
}

export const WIRE: Aspect = {
  kind: "wire",
  noun: "connection",
  remedy: "Turn keep-alive on at the target, or at the proxy in front of it.",
  what: ({ id }) => `Case "${id}" does not come over HTTP/1.1 with a kept connection everywhere.`,
  valueIn: ({ httpVersion, keepAlive }) => `HTTP/${httpVersion}, connection ${keepAlive ? "kept" : "closed"}`,
  expected: () => "HTTP/1.1, connection kept",
};

/** Stands for every length of a body that may vary: how far is looked at elsewhere. */
const VARIES = "varies";
const SAME_BODY =
  "Let the case send the same everywhere: leave out what a runtime says of itself, and wrap what must differ (a time stamp) in volatile(...).";

/** In the order in which they are looked at: the first difference explains the ones after it. */
export const ASPECTS: readonly Aspect[] = [
  {
    kind: "status",
    noun: "status",
    remedy:
      "See the target's log. `npm run bench -- serve` keeps local targets up, to open the case on each.",
    valueIn: ({ status }) => `HTTP ${status}`,
    expected: ({ golden }) => golden && `HTTP ${golden.status}`,
  },
  {
    kind: "encoding",
    noun: "content encoding",
    remedy: 'Turn compression off on the target: it must honour "accept-encoding: identity".',
    valueIn: ({ contentEncoding }) => contentEncoding ?? "none",
    expected: () => "none",
  },
  {
    kind: "content-type",
    noun: "content type",
    remedy: "Serve the case with the same content type everywhere.",
    valueIn: ({ contentType }) => contentType ?? "none",
    expected: ({ golden }) => golden && (golden.contentType ?? "none"),
  },
  {
    kind: "cache",
    noun: "caching",
    remedy: "Send the same headers for caches everywhere.",
    valueIn: ({ cacheHeaders }) => cacheHeaders || "no header for caches",
    expected: () => null,
  },
  {
    kind: "length",
    noun: "body length",
    remedy: `${SAME_BODY} Keep the length of that constant.`,
    valueIn: ({ body }, { variation }) => (variation === null ? `${body.length} bytes` : VARIES),
    expected: ({ golden, variation }) => (variation === null ? golden && `${golden.bytes} bytes` : VARIES),
  },
  {
    kind: "digest",
    noun: "masked body",
    remedy: SAME_BODY,
    valueIn: ({ body }, manifest) => `sha256 ${maskedDigest(body, manifest)}`,
    expected: ({ golden }) => golden && `sha256 ${golden.sha256}`,
  },
];

const RENDERED_ANEW = "rendered anew for each request";

const RENDERING: Aspect = {
  kind: "render",
  noun: "rendering",
  remedy:
    "Pin dynamic rendering for the whole app (force-dynamic), let no cache answer, and let the page begin with its render marker.",
  what: ({ id }) => `The page "${id}" is not ${RENDERED_ANEW} everywhere.`,
  valueIn(_response, _manifest, responses) {
    const ids = responses.map(({ body }) => findRenderMarker(body.toString("latin1"))?.renderId);
    if (ids.some((id) => id === undefined)) return "no render marker in the body";
    return new Set(ids).size === ids.length ? RENDERED_ANEW : `rendering ${ids[0]} came twice`;
  },
  expected: () => RENDERED_ANEW,
};

const delivery = (inParts: boolean) => (inParts ? "in parts" : "at once");
const streams = ({ page }: CaseManifest) => page?.streams === true;

const DELIVERY: Aspect = {
  kind: "streaming",
  noun: "delivery",
  remedy: "See which adapter or proxy collects the body, or sends it early; --case leaves the case out.",
  what: (manifest) =>
    `The body of page "${manifest.id}" does not come ${delivery(streams(manifest))} everywhere.`,
  valueIn: (_response, manifest, responses) =>
    delivery(isDelivered(responses, streams(manifest)) === streams(manifest)),
  expected: (manifest) => delivery(streams(manifest)),
};

export function describeVariation(
  { id, variation }: CaseManifest,
  answers: readonly Answers[],
): string | null {
  if (variation === null || answers.length === 0) return null;
  const lengths = answers.map(({ target, responses }) => {
    const bytes = responses.map(({ body }) => body.length);
    return `${target} ${[...new Set(bytes)].join(" and ")}`;
  });
  const form = `Compared in their normal form (${variation.normalForm}), they are equal`;
  return `Bodies of ${id} differ: ${variation.reason} ${form}. Bytes: ${lengths.join(", ")}.`;
}
