import { defineExperiment, UNPACKING } from "../src/define.ts";
import { judgeEqual, outcomeOf, ratioFigure } from "../src/judge.ts";

const CASES = ["html-template", "react-ssr", "math"] as const;
/** Its requests take ten times as long as the others', so its trials do. */
const HEAVY = "math";
const WITHIN = 0.25;

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
    sides: [
      { name: "node", target: "node" },
      { name: "cloudflare", target: "cloudflare" },
    ],
  })),
  decide({ comparisons }) {
    const deciding = CASES.map((caseId) =>
      judgeEqual(comparisons[caseId], {
        label: `${caseId}: CPU time, workerd / Node.js`,
        side: "cloudflare",
        against: "node",
        metric: "cpu",
        within: WITHIN,
      }),
    );
    const times = CASES.map((caseId) =>
      ratioFigure(comparisons[caseId], {
        label: `${caseId}: time to the last byte, workerd / Node.js`,
        side: "cloudflare",
        against: "node",
        metric: "lastByteMs",
      }),
    );
    return outcomeOf(deciding, times);
  },
});
