import type { Figure } from "@evenbench/results";
import { defineExperiment, type Evidence, type Side, UNPACKING } from "../src/define.ts";
import { halfOf, outcomeOf, takesMore } from "../src/judge.ts";

/** "Much slower" has no published figure: at least twice the time is meant here. */
const MUCH_SLOWER_RATIO = 2;
/** Published ratio of times with a reviver: before the change / after it. */
const PUBLISHED_GAIN = 1.33;
const V8_WITH_GAIN = "14.3";
/** A Node.js whose V8 has not the change, of the line with long-term support. It is fetched once, as `--node` does. */
const OLDER_NODE = "24.21.0";
const TARGETS = ["node", "cloudflare"] as const;
/** The two ways to parse: the index of each is the parameter of the case. */
const REVIVERS = ["without", "with"] as const;

const pairOf = (comparison: string, side: string, against: string) =>
  ({ comparison, metric: "lastByteMs", side, against }) as const;
const SLOWER = TARGETS.map((target) => pairOf("reviver", `${target} with`, `${target} without`));
const GAIN = pairOf("gain", "older with", "newer with");
/** The control of the gain: a plain JSON.parse on both engines. */
const PLAIN_PARSE = pairOf("gain", "older without", "newer without");

/** Makes the sides of a target that parse without and with a reviver. */
function waysOf(name: string, target: string, start: Side["start"] = {}): readonly Side[] {
  return REVIVERS.map((how, reviver) => ({ name: `${name} ${how}`, target, parameters: { reviver }, start }));
}

/**
 * The claim has three parts: "much slower" on either engine, and the gain since V8 14.3. A plain JSON.parse is their
 * control.
 */
export default defineExperiment({
  title: "JSON.parse with a reviver",
  claim: "JSON.parse with a reviver is much slower than without, and was made about 33 % faster in V8 14.3.",
  source: UNPACKING,
  published: "much slower; 1.33× since V8 14.3",
  timeS: 210,
  comparisons: [
    {
      id: "reviver",
      caseId: "json-reviver",
      sides: TARGETS.flatMap((target) => waysOf(target, target)),
      contrasts: SLOWER.map(({ side, against }) => [side, against]),
    },
    {
      id: "gain",
      caseId: "json-reviver",
      sides: [...waysOf("newer", "node"), ...waysOf("older", "node", { node: OLDER_NODE })],
      contrasts: [GAIN, PLAIN_PARSE].map(({ side, against }) => [side, against]),
    },
  ],
  figures: [
    ...SLOWER.map((question, index) => ({
      ...question,
      rule: takesMore(MUCH_SLOWER_RATIO),
      label: `time, with / without a reviver, on ${TARGETS[index]}`,
    })),
    {
      ...GAIN,
      label: `time with a reviver, Node.js ${OLDER_NODE} / today's`,
      rule: takesMore(halfOf(PUBLISHED_GAIN)),
    },
    { ...PLAIN_PARSE, label: `time without a reviver, Node.js ${OLDER_NODE} / today's` },
  ],
  decide({ figures, versions }) {
    const [onNode, onWorkerd, gain, rest] = figures as [Figure, Figure, Figure, Figure];
    return outcomeOf([onNode, onWorkerd, decideGain(gain, rest, versions), rest]);
  },
});

/**
 * Decides the part on the gain: an engine before the change against one after it. What they differ by without a reviver
 * is a second control.
 */
function decideGain(gain: Figure, rest: Figure, versions: Evidence<unknown>["versions"]): Figure {
  const found = versions["V8 in Node.js"] ?? "";
  const all = found === "" ? [] : found.split(" and ");
  const straddles =
    all.some((version) => isOlder(version, V8_WITH_GAIN)) &&
    all.some((version) => !isOlder(version, V8_WITH_GAIN));
  if (gain.value !== null && !straddles) {
    const note = `V8 ${found} stand on one side of ${V8_WITH_GAIN}. A Node.js of either side would decide it.`;
    return { ...gain, verdict: "unclear", note };
  }
  if (gain.verdict !== "reproduced" || gain.value === null || rest.value === null) {
    return gain;
  }
  const without = `${rest.value.estimate.toFixed(2)}× without a reviver`;
  if (gain.value.low <= rest.value.high) {
    const note = `The engines differ as much in a plain JSON.parse: ${without}.`;
    return { ...gain, verdict: "unclear", note };
  }
  return {
    ...gain,
    note: `${gain.note} V8 ${found}. Much of it is no gain of the reviver's: the engines differ by ${without}.`,
  };
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
