import { defineExperiment, UNPACKING } from "../src/define.ts";
import { halfOf, judgeRatio, outcomeOf, ratioFigure } from "../src/judge.ts";

const PUBLISHED = 3;
const RANGES = ["published", "small"] as const;

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
    precision: 0.1,
    sides: [
      { name: "cloudflare", target: "cloudflare", parameters: { range } },
      { name: "node", target: "node", parameters: { range } },
    ],
  })),
  decide({ comparisons }) {
    const question = { side: "node", against: "cloudflare", metric: "lastByteMs" } as const;
    const published = judgeRatio(comparisons.published, {
      ...question,
      label: "time, Node.js / workerd, arguments as published",
      decidesAt: halfOf(PUBLISHED),
    });
    const small = ratioFigure(comparisons.small, {
      ...question,
      label: "time, Node.js / workerd, small arguments",
    });
    return outcomeOf([published], [small]);
  },
});
