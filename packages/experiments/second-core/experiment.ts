import { cpuAndTime, defineExperiment, OWN_METHOD } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

const CASES = ["react-ssr", "html-template"] as const;
const CORES = ["one", "all"] as const;
/** Fraction by which a ratio may differ from 1 and still be the same. */
const TOLERANCE = 0.1;
const TAKES_THE_SAME = takesTheSame(TOLERANCE);

/** Names the two sides of a case whose servers have these cores. */
const pairOf = (caseId: string, cores: (typeof CORES)[number]) => ({
  comparison: caseId,
  side: `cloudflare, ${cores}`,
  against: `node, ${cores}`,
});

/** The claim has four parts: what a benchmark says of CPU time and of time, in two cases. */
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
  figures: CASES.flatMap((caseId) => [
    ...cpuAndTime(
      { ...pairOf(caseId, "one"), beside: pairOf(caseId, "all") },
      (metric) => `${caseId}: workerd / Node.js in ${metric}, on one core / on all`,
      { cpu: TAKES_THE_SAME, lastByteMs: TAKES_THE_SAME },
    ),
    ...CORES.map((cores) => ({
      ...pairOf(caseId, cores),
      metric: "cpu" as const,
      label: `${caseId}: CPU time, workerd / Node.js, servers on ${cores} ${cores === "one" ? "core" : "cores"}`,
    })),
  ]),
});
