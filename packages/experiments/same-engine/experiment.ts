import { cpuAndTime, defineExperiment, sidesOfTargets, UNPACKING } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

const CASES = ["html-template", "react-ssr", "math"] as const;
/** The case whose requests take ten times as long as the others' with the published work, so that its trials do. */
const HEAVY_CASE = "math";
const PUBLISHED_WORK = { share: 100 };
/** Fraction by which a ratio may differ from 1 and still be about the same. */
const TOLERANCE = 0.25;

/** The claim has three parts: CPU time in each of three cases, since it speaks of CPU time. Time stands beside it. */
export default defineExperiment({
  title: "The same engine",
  claim: "Both platforms run V8, so the same code should take about the same CPU time on both.",
  source: UNPACKING,
  published: "about 1×",
  timeS: 300,
  comparisons: CASES.map((caseId) => ({
    id: caseId,
    caseId,
    weight: caseId === HEAVY_CASE ? 2 : 1,
    sides: sidesOfTargets("node", "cloudflare").map((side) =>
      caseId === HEAVY_CASE ? { ...side, parameters: PUBLISHED_WORK } : side,
    ),
  })),
  figures: CASES.flatMap((caseId) =>
    cpuAndTime(
      { comparison: caseId, side: "cloudflare", against: "node" },
      (metric) => `${caseId}: ${metric}, workerd / Node.js`,
      { cpu: takesTheSame(TOLERANCE) },
    ),
  ),
});
