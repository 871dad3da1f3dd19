import { defineExperiment, UNPACKING } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";

/** Published ratio of times: Node.js / workerd. */
const PUBLISHED_RATIO = 3;
const RANGES = ["published", "small"] as const;
const NODE_AGAINST_WORKERD = { side: "node", against: "cloudflare", metric: "lastByteMs" } as const;

/** The claim has one part: the arguments as published. Small arguments stand beside it. */
export default defineExperiment({
  title: "Sine and cosine",
  claim:
    "Sine and cosine ran three times faster on Workers than on Node.js, because Node.js builds V8 without its faster trigonometry.",
  source: UNPACKING,
  published: "3×",
  timeS: 120,
  comparisons: RANGES.map((range) => ({
    id: range,
    caseId: "trig",
    sides: ["cloudflare", "node"].map((target) => ({
      name: target,
      target,
      parameters: { range, every: 1 },
    })),
  })),
  figures: [
    {
      comparison: "published",
      ...NODE_AGAINST_WORKERD,
      label: "time, Node.js / workerd, arguments as published",
      rule: takesMore(halfOf(PUBLISHED_RATIO)),
    },
    { comparison: "small", ...NODE_AGAINST_WORKERD, label: "time, Node.js / workerd, small arguments" },
  ],
});
