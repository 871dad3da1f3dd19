import type { ComparisonResult, Figure } from "@evenbench/results";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { decidedAt, judged, outcomeOf, sideFigure } from "../src/judge.ts";

const TARGETS = ["next-node", "next-vercel", "next-cloudflare"] as const;
const CASES = ["next-stream", "next-page"] as const;

/** The first one decides; the other one's page is shown beside it. */
const WEIGHTS = { "next-stream": 3, "next-page": 1 } as const;

/** "Hides" has no figure: the last byte comes at least twice as late as the first one. */
const HIDES = 2;

export default defineExperiment({
  title: "First byte against last byte",
  claim: "The time to the first byte hides what a streamed page costs to render.",
  source: UNPACKING,
  published: "hides the cost, without a figure",
  timeS: 200,
  comparisons: CASES.map((caseId) => ({
    id: caseId,
    caseId,
    sides: TARGETS.map((target) => ({ name: target, target })),
    weight: WEIGHTS[caseId],
  })),
  decide({ comparisons }) {
    const deciding = TARGETS.map((target) => hidden(comparisons["next-stream"], target));
    const rest = CASES.flatMap((caseId) =>
      TARGETS.flatMap((target) => [
        ...(caseId === "next-stream"
          ? []
          : [
              sideFigure(
                comparisons[caseId],
                target,
                { label: `${caseId}, ${target}: last byte / first byte`, unit: "ratio" },
                (side) => side.lastToFirst,
              ),
            ]),
        sideFigure(
          comparisons[caseId],
          target,
          { label: `${caseId}, ${target}: first byte`, unit: "ms" },
          (side) => side.firstByteMs,
        ),
        sideFigure(
          comparisons[caseId],
          target,
          { label: `${caseId}, ${target}: CPU time`, unit: "ms" },
          (side) => side.cpuMsPerExchange,
        ),
      ]),
    );
    return outcomeOf(deciding, rest);
  },
});

/** Within one target there is no second copy to hold against: the same exchanges give both times. */
function hidden(comparison: ComparisonResult | undefined, target: string): Figure {
  const figure = sideFigure(
    comparison,
    target,
    { label: `next-stream, ${target}: last byte / first byte`, unit: "ratio" },
    (side) => side.lastToFirst,
  );
  return judged(figure, decidedAt(HIDES, "reproduced", "not reproduced"));
}
