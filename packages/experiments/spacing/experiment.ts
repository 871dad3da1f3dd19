import { cpuAndTime, defineExperiment, OWN_METHOD, sidesOfTargets } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

const CASES = ["react-ssr", "html-template"] as const;
/** Fraction by which a ratio may differ from 1 and still be the same. */
const TOLERANCE = 0.1;
const TAKES_THE_SAME = takesTheSame(TOLERANCE);

/** The way in which requests follow one another in a run, which the others are held against. */
const ONE_BY_ONE = { id: "one-by-one", words: "one by one", spacing: 1, pauseMs: 0 };
/** The other ways, named in labels by their words. */
const OTHER_SPACINGS = [
  { id: "blocks", words: "in blocks of ten", spacing: 10, pauseMs: 0 },
  { id: "paused", words: "with 80 ms of rest before each", spacing: 1, pauseMs: 80 },
] as const;
const SPACINGS = [ONE_BY_ONE, ...OTHER_SPACINGS] as const;

/** Names the two sides of a case in the comparison of one way. */
const pairOf = (caseId: string, { id }: (typeof SPACINGS)[number]) => ({
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
    SPACINGS.map((way) => ({
      id: pairOf(caseId, way).comparison,
      caseId,
      spacing: way.spacing,
      pauseMs: way.pauseMs,
      sides: sidesOfTargets("node", "cloudflare"),
    })),
  ),
  figures: CASES.flatMap((caseId) => [
    ...OTHER_SPACINGS.flatMap((way) =>
      cpuAndTime(
        { ...pairOf(caseId, ONE_BY_ONE), beside: pairOf(caseId, way) },
        (metric) => `${caseId}: workerd / Node.js in ${metric}, ${ONE_BY_ONE.words} / ${way.words}`,
        { cpu: TAKES_THE_SAME, lastByteMs: TAKES_THE_SAME },
      ),
    ),
    ...SPACINGS.map((way) => ({
      ...pairOf(caseId, way),
      metric: "cpu" as const,
      label: `${caseId}: CPU time, workerd / Node.js, ${way.words}`,
    })),
  ]),
});
