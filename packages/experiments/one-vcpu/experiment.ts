import { defineExperiment } from "../src/define.ts";
import { conclude, judgeEqual, ratioFigure } from "../src/judge.ts";
import { UNPACKING } from "../src/sources.ts";

const WITHIN = 0.05;
const PAIRS = [
  ["node", "math"],
  ["node", "react-ssr"],
  ["cloudflare", "math"],
  ["cloudflare", "react-ssr"],
] as const;

export default defineExperiment({
  title: "A second vCPU",
  claim: "A second vCPU makes no difference to a single-threaded workload.",
  source: UNPACKING,
  published: "1×",
  timeS: 240,
  comparisons: PAIRS.map(([target, caseId]) => ({
    id: `${target}-${caseId}`,
    caseId,
    sides: [
      { name: "one core", target, start: { cores: "one" } },
      // The second one is the client's, which waits while a server computes.
      { name: "two cores", target, start: { cores: "all" } },
    ],
  })),
  decide({ comparisons }) {
    const question = { side: "two cores", against: "one core" } as const;
    const deciding = PAIRS.map(([target, caseId]) =>
      judgeEqual(comparisons[`${target}-${caseId}`], {
        ...question,
        label: `${caseId} on ${target}: time to the last byte, two cores / one`,
        metric: "lastByteMs",
        within: WITHIN,
      }),
    );
    const cpu = PAIRS.map(([target, caseId]) =>
      ratioFigure(comparisons[`${target}-${caseId}`], {
        ...question,
        label: `${caseId} on ${target}: CPU time, two cores / one`,
        metric: "cpu",
      }),
    );
    return { ...conclude(deciding), figures: [...deciding, ...cpu], tables: [] };
  },
});
