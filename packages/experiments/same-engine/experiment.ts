import { defineExperiment, UNPACKING } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

const CASES = ["html-template", "react-ssr", "math"] as const;
/** Its requests take ten times as long as the others', so its trials do. */
const HEAVY = "math";
const WITHIN = 0.25;
const PAIR = { side: "cloudflare", against: "node" } as const;

export default defineExperiment({
  title: "The same engine",
  claim: "Both platforms run V8, so the same code should take about the same CPU time on both.",
  source: UNPACKING,
  published: "about 1×",
  timeS: 300,
  comparisons: CASES.map((caseId) => ({
    id: caseId,
    caseId,
    weight: caseId === HEAVY ? 2 : 1,
    sides: ["node", "cloudflare"].map((target) => ({ name: target, target })),
  })),
  figures: CASES.flatMap((of) => [
    {
      ...{ of, ...PAIR, metric: "cpu", label: `${of}: CPU time, workerd / Node.js` },
      rule: takesTheSame(WITHIN),
    },
    { of, ...PAIR, metric: "lastByteMs", label: `${of}: time to the last byte, workerd / Node.js` },
  ]),
});
