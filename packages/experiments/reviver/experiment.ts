import type { Figure } from "@evenbench/results";
import { defineExperiment, type Evidence, UNPACKING } from "../src/define.ts";
import { halfOf, outcomeOf, takesMore } from "../src/judge.ts";

/** "Much slower" has no figure: at least twice the time is meant here. */
const MUCH = 2;
const PUBLISHED_GAIN = 1.33;
const GAIN_SINCE = "14.3";
const TARGETS = ["node", "cloudflare"] as const;
const ASKED = { comparison: "reviver", metric: "lastByteMs" } as const;

const pair = (side: string, against: string) => ({ ...ASKED, side, against });
const SLOWER = TARGETS.map((target) => pair(`${target} with`, `${target} without`));
const GAIN = pair("node with", "cloudflare with");
const REST = pair("node without", "cloudflare without");

export default defineExperiment({
  title: "JSON.parse with a reviver",
  claim: "JSON.parse with a reviver is much slower than without, and was made about 33 % faster in V8 14.3.",
  source: UNPACKING,
  published: "much slower; 1.33× since V8 14.3",
  timeS: 150,
  comparisons: [
    {
      id: "reviver",
      caseId: "json-reviver",
      sides: TARGETS.flatMap((target) =>
        ["without", "with"].map((how, reviver) => ({
          name: `${target} ${how}`,
          target,
          parameters: { reviver },
        })),
      ),
      contrasts: [...SLOWER, GAIN, REST].map(({ side, against }) => [side, against]),
    },
  ],
  figures: [
    ...SLOWER.map((question, index) => ({
      ...question,
      rule: takesMore(MUCH),
      label: `time, with / without a reviver, on ${TARGETS[index]}`,
    })),
    {
      ...GAIN,
      label: "time with a reviver, V8 of node / of cloudflare",
      rule: takesMore(halfOf(PUBLISHED_GAIN)),
    },
    { ...REST, label: "time without a reviver, V8 of node / of cloudflare" },
  ],
  decide({ figures, versions }) {
    const [onNode, onWorkerd, gain, rest] = figures as [Figure, Figure, Figure, Figure];
    return outcomeOf([onNode, onWorkerd, decideGain(gain, rest, versions), rest]);
  },
});

/**
 * Only an engine before the change against one after it can show the change. They differ in more than that:
 * what they differ by without a reviver is a second control.
 */
function decideGain(gain: Figure, rest: Figure, versions: Evidence<unknown>["versions"]): Figure {
  const node = versions["V8 in Node.js"] ?? "";
  const cloudflare = versions["V8 in workerd"] ?? "";
  const straddles = node !== "" && isOlder(node, GAIN_SINCE) && !isOlder(cloudflare, GAIN_SINCE);
  if (!straddles) {
    const note = `V8 ${node} and ${cloudflare} do not stand on either side of ${GAIN_SINCE}.`;
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
    note: `${gain.note} V8 ${node} against ${cloudflare}. Much of it is no gain of the reviver's: the engines differ by ${without}.`,
  };
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}
