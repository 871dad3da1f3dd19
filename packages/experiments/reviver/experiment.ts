import type { Figure } from "@evenbench/results";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { halfOf, judgeRatio, outcomeOf, ratioFigure } from "../src/judge.ts";

/** "Much slower" has no figure: at least twice the time is meant here. */
const MUCH = 2;
const PUBLISHED_GAIN = 1.33;
const GAIN_SINCE = "14.3";

const side = (target: string, reviver: 0 | 1) => ({
  name: `${target} ${reviver === 1 ? "with" : "without"}`,
  target,
  parameters: { reviver },
});

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
      sides: [side("node", 0), side("node", 1), side("cloudflare", 0), side("cloudflare", 1)],
      contrasts: [
        ["node with", "node without"],
        ["cloudflare with", "cloudflare without"],
        ["node with", "cloudflare with"],
        ["node without", "cloudflare without"],
      ],
    },
  ],
  decide({ comparisons: { reviver }, versions }) {
    const v8 = { node: versions["V8 in Node.js"], cloudflare: versions["V8 in workerd"] };
    const slower = (["node", "cloudflare"] as const).map((target) =>
      judgeRatio(reviver, {
        label: `time, with / without a reviver, V8 ${v8[target] ?? "of unknown version"}`,
        side: `${target} with`,
        against: `${target} without`,
        metric: "lastByteMs",
        decidesAt: MUCH,
      }),
    );
    const both = { metric: "lastByteMs" } as const;
    const gain = judgeRatio(reviver, {
      ...both,
      label: `time with a reviver, V8 ${v8.node} / ${v8.cloudflare}`,
      side: "node with",
      against: "cloudflare with",
      decidesAt: halfOf(PUBLISHED_GAIN),
    });
    const rest = ratioFigure(reviver, {
      ...both,
      label: `time without a reviver, V8 ${v8.node} / ${v8.cloudflare}`,
      side: "node without",
      against: "cloudflare without",
    });
    const deciding = [...slower, decideGain(gain, rest, v8)];
    return outcomeOf(deciding, [rest]);
  },
});

type Engines = Readonly<Record<"node" | "cloudflare", string | undefined>>;

/**
 * Only an engine before the change against one after it can show the change. They differ in more than that:
 * what they differ by without a reviver is a second control.
 */
function decideGain(gain: Figure, rest: Figure, v8: Engines): Figure {
  const { node, cloudflare } = v8;
  const straddles =
    node !== undefined &&
    cloudflare !== undefined &&
    isOlder(node, GAIN_SINCE) &&
    !isOlder(cloudflare, GAIN_SINCE);
  if (!straddles) {
    const note = `V8 ${node} and ${cloudflare} do not stand on either side of ${GAIN_SINCE}.`;
    return { ...gain, verdict: "inconclusive", note };
  }
  if (gain.verdict !== "reproduced" || gain.value === null || rest.value === null) return gain;
  const without = `${rest.value.estimate.toFixed(2)}× without a reviver`;
  if (gain.value.low <= rest.value.high) {
    const note = `The engines differ as much in a plain JSON.parse: ${without}.`;
    return { ...gain, verdict: "inconclusive", note };
  }
  return {
    ...gain,
    note: `${gain.note} Much of it is no gain of the reviver's: the engines differ by ${without}.`,
  };
}

function isOlder(version: string, than: string): boolean {
  const [a = 0, b = 0] = version.split(".").map(Number.parseFloat);
  const [major = 0, minor = 0] = than.split(".").map(Number);
  return a < major || (a === major && b < minor);
}
