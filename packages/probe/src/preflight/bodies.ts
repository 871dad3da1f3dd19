import { type CaseManifest, maskBody, shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { maskedDigest } from "../index.ts";
import type { Answers, WholeResponse } from "./asking.ts";
import { type PreflightKind, type PreflightProblem, problem, quote } from "./options.ts";

export function compareBodies(
  manifest: CaseManifest,
  answers: readonly Answers[],
  aspects = ASPECTS,
): PreflightProblem | null {
  for (const aspect of aspects) {
    const expected = aspect.expected(manifest);
    const seen = answers.map(({ target, responses }) => {
      const values = [...new Set(responses.map((response) => aspect.valueIn(response, manifest)))];
      return { target, values };
    });
    const distinct = new Set(seen.flatMap(({ values }) => values));
    const agree = distinct.size === 1;
    if (expected !== null) distinct.add(expected);
    if (distinct.size <= 1) continue;
    const values = Object.fromEntries(seen.map(({ target, values }) => [target, values.join(", then ")]));
    return problem({
      kind: aspect.kind,
      caseId: manifest.id,
      values: expected === null ? values : { expected, ...values },
      ...(agree && manifest.golden !== null
        ? otherThanGolden(aspect, manifest)
        : explain(aspect, manifest, answers)),
    });
  }
  return null;
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

function explain(
  { kind, noun, remedy }: Aspect,
  manifest: CaseManifest,
  answers: readonly Answers[],
): Pick<PreflightProblem, "what" | "remedy"> {
  const isOfBody = kind === "length" || kind === "digest";
  const difference = isOfBody ? firstDifference(manifest, answers) : null;
  if (difference !== null) {
    return { what: `Bodies of case "${manifest.id}" differ. ${difference}`, remedy };
  }
  const failing = manifest.golden === null ? "differs between targets" : "is not as expected everywhere";
  return { what: `The ${noun} of case "${manifest.id}" ${failing}.`, remedy };
}

const BEFORE = 12;
const AFTER = 24;

/** null where all are equal. */
function firstDifference(manifest: CaseManifest, answers: readonly Answers[]): string | null {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => ({ target, bytes: maskBody(body.toString("latin1"), manifest) })),
  );
  const [first, ...others] = bodies.map(({ bytes }) => bytes);
  const offsets = others.map((other) => whereTheyPart(first ?? "", other)).filter((at) => at !== null);
  if (offsets.length === 0) return null;
  const offset = Math.min(...offsets);
  const senders = new Map<string, Set<string>>();
  for (const { target, bytes } of bodies) {
    const excerpt = quote(Buffer.from(bytes.slice(Math.max(0, offset - BEFORE), offset + AFTER), "latin1"));
    senders.set(excerpt, (senders.get(excerpt) ?? new Set()).add(target));
  }
  const shown = [...senders].map(([excerpt, targets]) => `${excerpt} from ${[...targets].join(", ")}`);
  return `They differ from byte ${offset} of the masked body: ${shown.join("; ")}.`;
}

function whereTheyPart(first: string, other: string): number | null {
  if (first === other) return null;
  let offset = 0;
  while (first[offset] === other[offset]) offset++;
  return offset;
}

export interface Aspect {
  readonly kind: PreflightKind;
  readonly noun: string;
  readonly remedy: string;
  valueIn(response: WholeResponse, manifest: CaseManifest): string;
  /** null where only golden values would tell and there are none. */
  expected(manifest: CaseManifest): string | null;
}

/** Stands for every length of a body that may vary: how far is looked at elsewhere. */
const VARIES = "varies";
const ASSUME_IT =
  "Find out which answer is right. --same-work assumed compares them anyway, and every output then says so.";
const SAME_BODY =
  "Let the case send the same everywhere: leave out what a runtime says of itself, and wrap what must differ (a time stamp) in volatile(...).";

/** In the order in which they are looked at: the first difference explains the ones after it. */
const ASPECTS: readonly Aspect[] = [
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

const MASK_IT =
  "Hide what may differ with --mask '<regex>', or compare anyway with --same-work assumed: every output then says so.";

/** Masks may hide parts of any length, and what is said to caches may differ. */
export const OWN_SERVER_ASPECTS: readonly Aspect[] = ASPECTS.flatMap((aspect) => {
  const { kind } = aspect;
  if (kind === "encoding" || kind === "cache") return [];
  const remedy = kind === "length" || kind === "digest" ? MASK_IT : ASSUME_IT;
  if (kind !== "length") return [{ ...aspect, remedy }];
  const valueIn: Aspect["valueIn"] = ({ body }, { masks }) => {
    const masked = maskBody(body.toString("latin1"), { masks, variation: null });
    return `${masked.length} bytes${masks.length === 0 ? "" : " once masked"}`;
  };
  return [{ ...aspect, remedy, valueIn }];
});
