import { defineExperiment, OWN_METHOD } from "../src/define.ts";
import { judgeAnswers, outcomeOf, ratioFigure } from "../src/judge.ts";

const CASES = ["react-ssr", "html-template"] as const;
const CORES = ["one", "all"] as const;
const WITHIN = 0.1;
const METRICS = { cpu: "CPU time", lastByteMs: "time to the last byte" } as const;

export default defineExperiment({
  title: "Servers on one core or on all",
  claim:
    "Whether servers are confined to one core or share all does not change what a benchmark says of two runtimes.",
  source: OWN_METHOD,
  published: "1×",
  timeS: 480,
  comparisons: CASES.map((caseId) => ({
    id: caseId,
    caseId,
    sides: CORES.flatMap((cores) =>
      ["node", "cloudflare"].map((target) => ({ name: `${target}, ${cores}`, target, start: { cores } })),
    ),
    contrasts: CORES.map((cores) => [`cloudflare, ${cores}`, `node, ${cores}`] as const),
  })),
  decide({ comparisons }) {
    const answer = (caseId: string, cores: string) => ({
      comparison: comparisons[caseId],
      side: `cloudflare, ${cores}`,
      against: `node, ${cores}`,
    });
    const deciding = CASES.flatMap((caseId) =>
      Object.entries(METRICS).map(([metric, words]) =>
        judgeAnswers({
          label: `${caseId}: workerd / Node.js in ${words}, on one core / on all`,
          metric: metric as keyof typeof METRICS,
          one: answer(caseId, "one"),
          other: answer(caseId, "all"),
          within: WITHIN,
        }),
      ),
    );
    const each = CASES.flatMap((caseId) =>
      CORES.map((cores) =>
        ratioFigure(comparisons[caseId], {
          ...answer(caseId, cores),
          label: `${caseId}: CPU time, workerd / Node.js, servers on ${cores} ${cores === "one" ? "core" : "cores"}`,
          metric: "cpu",
        }),
      ),
    );
    return outcomeOf(deciding, each);
  },
});
