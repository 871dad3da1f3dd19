import { type CaseManifest, findRenderMarker, type PageTraits } from "@evenbench/core";
import { type Answers, isDelivered, type WholeResponse } from "./asking.ts";
import { type PreflightProblem, problem } from "./options.ts";

export function lookAtPage(
  manifest: CaseManifest,
  { streams }: PageTraits,
  answers: readonly Answers[],
): PreflightProblem[] {
  const rendering = compare(manifest, "render", "rendered anew for each request", {
    values: valuesOf(answers, renderings),
    remedy:
      "Pin dynamic rendering for the whole app (force-dynamic), let no cache answer, and let the page begin with its render marker.",
  });
  const delivery = compare(manifest, "streaming", describeDelivery(streams === true), {
    values: valuesOf(answers, (responses) => deliveries(responses, streams === true)),
    remedy: "See which adapter or proxy collects the body, or sends it early; --case leaves the case out.",
  });
  return [rendering, streams === null ? null : delivery].filter((problem) => problem !== null);
}

/** null where it has none. */
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

function compare(
  manifest: CaseManifest,
  kind: "render" | "streaming",
  expected: string,
  { values, remedy }: Pick<PreflightProblem, "values" | "remedy">,
): PreflightProblem | null {
  if (Object.values(values).every((value) => value === expected)) return null;
  const what =
    kind === "render"
      ? `The page "${manifest.id}" is not rendered anew for each request everywhere.`
      : `The body of page "${manifest.id}" does not come ${expected} everywhere.`;
  return problem({ kind, caseId: manifest.id, what, values: { expected, ...values }, remedy });
}

function valuesOf(
  answers: readonly Answers[],
  describe: (responses: readonly WholeResponse[]) => string,
): Record<string, string> {
  return Object.fromEntries(answers.map(({ target, responses }) => [target, describe(responses)]));
}

function renderings(responses: readonly WholeResponse[]): string {
  const ids = responses.map(({ body }) => findRenderMarker(body.toString("latin1"))?.renderId);
  if (ids.some((id) => id === undefined)) return "no render marker in the body";
  return new Set(ids).size === ids.length
    ? "rendered anew for each request"
    : `rendering ${ids[0]} came twice`;
}

function deliveries(responses: readonly WholeResponse[], streams: boolean): string {
  return describeDelivery(isDelivered(responses, streams) ? streams : !streams);
}

function describeDelivery(inParts: boolean): string {
  return inParts ? "in parts" : "at once";
}
