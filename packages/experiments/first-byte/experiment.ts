import { divided } from "@evenbench/stats";
import { defineExperiment, sidesOfTargets, UNPACKING } from "../src/define.ts";
import { isAbove } from "../src/judge.ts";

const TARGETS = ["next-node", "next-vercel", "next-cloudflare"] as const;

/** Weights of the time of each case: the streamed page decides, and one in a single piece stands beside it. */
const WEIGHTS = { "next-stream": 3, "next-page-large": 1 } as const;
const CASES = ["next-stream", "next-page-large"] as const;

/** "Hides" has no published figure: the last byte comes at least twice as late as the first one. */
const HIDING_RATIO = 2;

/** The claim has three parts: the streamed page on three platforms. A page in one piece stands beside it. */
export default defineExperiment({
  title: "First byte against last byte",
  claim: "The time to the first byte hides what a streamed page costs to render.",
  source: UNPACKING,
  published: "hides the cost, without a figure",
  timeS: 200,
  comparisons: CASES.map((caseId) => ({
    id: caseId,
    caseId,
    sides: sidesOfTargets(...TARGETS),
    weight: WEIGHTS[caseId],
  })),
  figures: CASES.flatMap((caseId) =>
    TARGETS.map((side) => ({
      comparison: caseId,
      side,
      unit: "ratio",
      label: `${caseId}, ${side}: last byte / first byte`,
      rule: caseId === "next-stream" ? isAbove(HIDING_RATIO) : undefined,
      pick: ({ firstByteMs, lastByteMs }) => firstByteMs && lastByteMs && divided(lastByteMs, firstByteMs),
    })),
  ),
});
