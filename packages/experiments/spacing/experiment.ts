import { cpuAndTime, defineExperiment, OWN_METHOD, sidesOfTargets } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

const CASES = ["react-ssr", "html-template"] as const;
const WITHIN = 0.1;
const SAME = takesTheSame(WITHIN);

/** How requests follow one another. The first is what a run does, and what the others are held against. */
const ONE_BY_ONE = { id: "one-by-one", words: "one by one", spacing: 1, pauseMs: 0 };
const OTHERS = [
  { id: "blocks", words: "in blocks of ten", spacing: 10, pauseMs: 0 },
  { id: "paused", words: "with 80 ms of rest before each", spacing: 1, pauseMs: 80 },
] as const;
const WAYS = [ONE_BY_ONE, ...OTHERS] as const;

const pair = (caseId: string, { id }: (typeof WAYS)[number]) => ({
  comparison: `${caseId}-${id}`,
  side: "cloudflare",
  against: "node",
});

/** The claim has eight parts: CPU time and time, of two cases, for two other ways to space requests. */
export default defineExperiment({
  title: "Requests one by one, in blocks, or with rests",
  claim:
    "Whether targets take turns after each request or after ten, and whether they rest before each one, does not change what a benchmark says of them.",
  source: OWN_METHOD,
  published: "1×",
  timeS: 720,
  comparisons: CASES.flatMap((caseId) =>
    WAYS.map((way) => ({
      id: pair(caseId, way).comparison,
      caseId,
      spacing: way.spacing,
      pauseMs: way.pauseMs,
      sides: sidesOfTargets("node", "cloudflare"),
    })),
  ),
  figures: CASES.flatMap((caseId) => [
    ...OTHERS.flatMap((way) =>
      cpuAndTime(
        { ...pair(caseId, ONE_BY_ONE), beside: pair(caseId, way) },
        (metric) => `${caseId}: workerd / Node.js in ${metric}, ${ONE_BY_ONE.words} / ${way.words}`,
        { cpu: SAME, lastByteMs: SAME },
      ),
    ),
    ...WAYS.map((way) => ({
      ...pair(caseId, way),
      metric: "cpu" as const,
      label: `${caseId}: CPU time, workerd / Node.js, ${way.words}`,
    })),
  ]),
});
