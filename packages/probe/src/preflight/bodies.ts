import { type CaseManifest, maskBody, shellWord } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { ASPECTS, type Aspect } from "./aspects.ts";
import { type Answers, type PreflightProblem, quote } from "./problem.ts";
import type { WholeResponse } from "./response.ts";

/** Holds all targets' answers to a case against its golden values or, without these, against one another. */
export function compareBodies(
  manifest: CaseManifest,
  answers: readonly Answers[],
  aspects = ASPECTS,
): PreflightProblem | null {
  for (const aspect of aspects) {
    const expected = aspect.expected(manifest);
    const seen = answers.map(({ target, responses }) => ({ target, values: valuesOf(aspect, responses) }));
    const distinct = new Set([
      ...seen.flatMap(({ values }) => values),
      ...(expected === null ? [] : [expected]),
    ]);
    if (distinct.size <= 1) continue;
    const agree = new Set(seen.flatMap(({ values }) => values)).size === 1;
    const values = Object.fromEntries(seen.map(({ target, values }) => [target, values.join(", then ")]));
    return {
      kind: aspect.kind,
      pin: null,
      caseId: manifest.id,
      values: expected === null ? values : { expected, ...values },
      ...(agree && manifest.golden !== null
        ? otherThanGolden(aspect, manifest)
        : explain(aspect, manifest, answers)),
    };
  }
  return null;

  function valuesOf(aspect: Aspect, responses: readonly WholeResponse[]): string[] {
    return [...new Set(responses.map((response) => aspect.of(response, manifest)))];
  }
}

/** All targets agree with one another, so it is the case that was changed. */
function otherThanGolden(
  { noun }: Aspect,
  { id, variation }: CaseManifest,
): Pick<PreflightProblem, "what" | "remedy"> {
  const length = variation === null ? "" : " Keep the length of what is wrapped in volatile(...) constant.";
  return {
    what: `All targets agree on the ${noun} of case "${id}", and its golden value is another.`,
    remedy: `If the case was changed on purpose, accept it: ${EVENBENCH} preflight --accept ${shellWord(id)}. Otherwise undo the change.${length}`,
  };
}

/** Bodies that differ from one another want another remedy than those that differ from golden values alone. */
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

/** Bytes shown before and after the place where bodies part. */
const BEFORE = 12;
const AFTER = 24;

/** Where masked bodies part, and what each target sends there, in a sentence; null where all are equal. */
function firstDifference(manifest: CaseManifest, answers: readonly Answers[]): string | null {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => ({ target, bytes: maskBody(body.toString("latin1"), manifest) })),
  );
  const [one, ...others] = bodies.map(({ bytes }) => bytes);
  const offsets = others.map((other) => whereTheyPart(one ?? "", other)).filter((at) => at !== null);
  if (offsets.length === 0) return null;
  const offset = Math.min(...offsets);
  const senders = new Map<string, Set<string>>();
  for (const { target, bytes } of bodies) {
    const excerpt = quote(Buffer.from(bytes.slice(Math.max(0, offset - BEFORE), offset + AFTER), "latin1"));
    senders.set(excerpt, (senders.get(excerpt) ?? new Set()).add(target));
  }
  const shown = [...senders].map(([excerpt, targets]) => `${excerpt} from ${[...targets].join(", ")}`);
  return `They part at byte ${offset} of the masked body: ${shown.join("; ")}.`;
}

function whereTheyPart(one: string, other: string): number | null {
  if (one === other) return null;
  let offset = 0;
  while (one[offset] === other[offset]) offset++;
  return offset;
}
