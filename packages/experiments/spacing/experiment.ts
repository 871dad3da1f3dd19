import { defineExperiment } from "../src/define.ts";
import { conclude, ratioFigure } from "../src/judge.ts";
import { judgeAnswers } from "../src/judge-answers.ts";
import { OWN_METHOD } from "../src/sources.ts";

const CASES = ["react-ssr", "html-template"] as const;
/** Requests that a target gets back to back before the next target has its turn. */
const SPACINGS = [1, 10] as const;
const WITHIN = 0.1;
const METRICS = { cpu: "CPU time", lastByteMs: "time to the last byte" } as const;

const idOf = (caseId: string, spacing: number) => `${caseId}-${spacing}`;

export default defineExperiment({
  title: "Requests one by one or in blocks",
  claim:
    "Whether targets take turns after each request or after ten does not change what a benchmark says of them.",
  source: OWN_METHOD,
  published: "1×",
  timeS: 240,
  comparisons: CASES.flatMap((caseId) =>
    SPACINGS.map((spacing) => ({
      id: idOf(caseId, spacing),
      caseId,
      spacing,
      sides: [
        { name: "node", target: "node" },
        { name: "cloudflare", target: "cloudflare" },
      ],
    })),
  ),
  decide({ comparisons }) {
    const answer = (caseId: string, spacing: number) => ({
      comparison: comparisons[idOf(caseId, spacing)],
      side: "cloudflare",
      against: "node",
    });
    const deciding = CASES.flatMap((caseId) =>
      Object.entries(METRICS).map(([metric, words]) =>
        judgeAnswers({
          label: `${caseId}: workerd / Node.js in ${words}, one by one / in blocks of ten`,
          metric: metric as keyof typeof METRICS,
          one: answer(caseId, 1),
          other: answer(caseId, 10),
          within: WITHIN,
        }),
      ),
    );
    const each = CASES.flatMap((caseId) =>
      SPACINGS.map((spacing) =>
        ratioFigure(comparisons[idOf(caseId, spacing)], {
          ...answer(caseId, spacing),
          label: `${caseId}: CPU time, workerd / Node.js, ${spacing} at a time`,
          metric: "cpu",
        }),
      ),
    );
    return { ...conclude(deciding), figures: [...deciding, ...each], tables: [] };
  },
});
