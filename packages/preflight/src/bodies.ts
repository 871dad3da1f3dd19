import { type CaseManifest, maskBody } from "@evenbench/core";
import { ASPECTS, type Aspect } from "./aspects.ts";
import type { PreflightProblem } from "./problem.ts";
import type { WholeResponse } from "./response.ts";

/** What one target answered to one case, once after the other. */
export interface Answers {
  readonly target: string;
  readonly responses: readonly WholeResponse[];
}

/**
 * Holds all targets' answers to a case against its golden values or, without these, against one another.
 *
 * @returns the first aspect in which they differ, or null.
 */
export function compareBodies(manifest: CaseManifest, answers: readonly Answers[]): PreflightProblem | null {
  for (const aspect of ASPECTS) {
    const expected = aspect.expected(manifest);
    const seen = answers.map(({ target, responses }) => ({ target, values: valuesOf(aspect, responses) }));
    const distinct = new Set([
      ...seen.flatMap(({ values }) => values),
      ...(expected === null ? [] : [expected]),
    ]);
    if (distinct.size <= 1) continue;
    const values = Object.fromEntries(seen.map(({ target, values }) => [target, values.join(", then ")]));
    const failing = expected === null ? "differs between targets" : "is not as expected everywhere";
    const where = aspect.kind === "digest" ? ` ${firstDifference(manifest, answers)}` : "";
    return {
      kind: aspect.kind,
      pin: null,
      caseId: manifest.id,
      what: `The ${aspect.noun} of case "${manifest.id}" ${failing}.${where}`.trimEnd(),
      values: expected === null ? values : { expected, ...values },
      remedy: aspect.remedy,
    };
  }
  return null;

  function valuesOf(aspect: Aspect, responses: readonly WholeResponse[]): string[] {
    return [...new Set(responses.map((response) => aspect.of(response, manifest)))];
  }
}

/** Where the first two masked bodies that are not equal part, in words; empty when all are equal. */
function firstDifference(manifest: CaseManifest, answers: readonly Answers[]): string {
  const bodies = answers.flatMap(({ target, responses }) =>
    responses.map(({ body }) => ({ target, text: maskBody(body.toString("latin1"), manifest) })),
  );
  const [one] = bodies;
  const other = bodies.find(({ text }) => text !== one?.text);
  if (one === undefined || other === undefined) return "";
  let offset = 0;
  while (one.text[offset] === other.text[offset]) offset++;
  const excerpt = (text: string) => JSON.stringify(text.slice(Math.max(0, offset - 12), offset + 12));
  return `First difference at byte ${offset} of the masked body: ${excerpt(one.text)} from ${one.target}, ${excerpt(other.text)} from ${other.target}.`;
}
