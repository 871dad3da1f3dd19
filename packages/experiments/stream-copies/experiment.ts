import { defineExperiment, UNPACKING } from "../src/define.ts";
import { takesMore } from "../src/judge.ts";

/** "Waste" has no published figure: a tenth of the CPU time is meant here. */
const WASTE_RATIO = 1.1;
const TARGETS = ["node", "cloudflare"] as const;
/**
 * Values of the case's parameter `how` that stand beside the claim. Joining the chunks first is not among them:
 * "length-by-copy" asks for it, and all sides of a comparison warm up as long as the slowest to warm, which is 384
 * requests for joining, and 34 without it.
 */
const STREAM_KINDS = ["bytes", "values", "from", "pipe"] as const;

/**
 * The claim has four parts: copies, and streams of values, on either runtime, in CPU time. Memory is no part: a process
 * does not show copies that live for a moment.
 */
export default defineExperiment({
  title: "Copies and streams of values",
  claim: "Needless copies, and streams of values where streams of bytes would do, waste time and memory.",
  source: UNPACKING,
  published: "waste, without a figure",
  timeS: 330,
  comparisons: TARGETS.flatMap((target) => {
    const sides = (...ways: readonly string[]) =>
      ways.map((how) => ({ name: how, target, parameters: { how } }));
    return [
      // What decides by itself, so that its rounds are short; other ways are measured beside it.
      { id: `${target}-values`, caseId: "stream-copies", sides: sides("bytes", "values"), weight: 4 },
      { id: `${target}-length`, caseId: "length-by-copy", sides: sides("sum", "concat"), weight: 2 },
      { id: `${target}-streams`, caseId: "stream-copies", sides: sides(...STREAM_KINDS), weight: 3 },
    ];
  }),
  figures: TARGETS.flatMap((target) => [
    {
      comparison: `${target}-length`,
      side: "concat",
      against: "sum",
      metric: "cpu",
      label: `${target}: CPU time, length by a copy / by adding up`,
      rule: takesMore(WASTE_RATIO),
    },
    {
      comparison: `${target}-values`,
      side: "values",
      against: "bytes",
      metric: "cpu",
      label: `${target}: CPU time, stream of values / of bytes`,
      rule: takesMore(WASTE_RATIO),
    },
  ]),
});
