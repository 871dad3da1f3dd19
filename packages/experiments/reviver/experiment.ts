import type { Figure } from "@evenbench/results";
import { defineExperiment, type Evidence, type Side, UNPACKING } from "../src/define.ts";
import { halfOf, outcomeOf, takesMore } from "../src/judge.ts";

/** "Much slower" has no published figure: at least twice the time is meant here. */
const MUCH_SLOWER = 2;
const PUBLISHED_GAIN = 1.33;
const GAIN_SINCE = "14.3";
/**
 * A Node.js whose V8 is older than that, of the line with long-term support. It is fetched once, as `--node` does.
 */
const OLDER_NODE = "24.21.0";
const TARGETS = ["node", "cloudflare"] as const;
const WAYS = ["without", "with"] as const;

const pair = (comparison: string, side: string, against: string) =>
  ({ comparison, metric: "lastByteMs", side, against }) as const;
const SLOWER = TARGETS.map((target) => pair("reviver", `${target} with`, `${target} without`));
const GAIN = pair("gain", "older with", "newer with");
const REST = pair("gain", "older without", "newer without");

/** Makes the sides of a target that parse without and with a reviver. */
function waysOf(name: string, target: string, start: Side["start"] = {}): readonly Side[] {
  return WAYS.map((how, reviver) => ({ name: `${name} ${how}`, target, parameters: { reviver }, start }));
}

/**
 * The claim has three parts: "much slower" on either engine, and the gain since V8 14.3. A plain JSON.parse stands
 * beside them, as their control.
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
      contrasts: [GAIN, REST].map(({ side, against }) => [side, against]),
    },
  ],
  figures: [
    ...SLOWER.map((question, index) => ({
      ...question,
      rule: takesMore(MUCH_SLOWER),
      label: `time, with / without a reviver, on ${TARGETS[index]}`,
    })),
    {
      ...GAIN,
      label: `time with a reviver, Node.js ${OLDER_NODE} / today's`,
      rule: takesMore(halfOf(PUBLISHED_GAIN)),
    },
    { ...REST, label: `time without a reviver, Node.js ${OLDER_NODE} / today's` },
  ],
  decide({ figures, versions }) {
    const [onNode, onWorkerd, gain, rest] = figures as [Figure, Figure, Figure, Figure];
    return outcomeOf([onNode, onWorkerd, decideGain(gain, rest, versions), rest]);
  },
});

/**
 * Decides the part on the gain. Only an engine before the change against one after it can show the change. They
 * differ in more than that: what they differ by without a reviver is a second control.
 */
function decideGain(gain: Figure, rest: Figure, versions: Evidence<unknown>["versions"]): Figure {
  const found = versions["V8 in Node.js"] ?? "";
  const all = found === "" ? [] : found.split(" and ");
  const straddles =
    all.some((version) => isOlder(version, GAIN_SINCE)) &&
    all.some((version) => !isOlder(version, GAIN_SINCE));
  if (gain.value !== null && !straddles) {
    const note = `V8 ${found} stand on one side of ${GAIN_SINCE}. A Node.js of either side would decide it.`;
    return { ...gain, verdict: "inconclusive", note };
  }
  if (gain.verdict !== "reproduced" || gain.value === null || rest.value === null) {
    return gain;
  }
  const without = `${rest.value.estimate.toFixed(2)}× without a reviver`;
  if (gain.value.low <= rest.value.high) {
    const note = `The engines differ as much in a plain JSON.parse: ${without}.`;
    return { ...gain, verdict: "inconclusive", note };
  }
  return {
    ...gain,
    note: `${gain.note} V8 ${found}. Much of it is no gain of the reviver's: the engines differ by ${without}.`,
  };
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
