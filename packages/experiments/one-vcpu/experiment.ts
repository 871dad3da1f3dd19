import { cpuAndTime, defineExperiment, UNPACKING } from "../src/define.ts";
import { takesTheSame } from "../src/judge.ts";

/** Fraction by which a ratio may differ from 1 and still be the same. */
const TOLERANCE = 0.05;
/** Id of the case, which computes on one thread. A margin of 5 % wants many trials of a light one. */
const CASE = "react-ssr";
const TARGETS = ["node", "cloudflare"] as const;
const TRIALS_AT_MOST = 40;

/** The claim has two parts, time on either runtime: whoever waits asks for time. CPU time stands beside it. */
export default defineExperiment({
  title: "A second vCPU",
  claim: "A second vCPU makes no difference to a single-threaded workload.",
  source: UNPACKING,
  published: "1×",
  timeS: 420,
  comparisons: TARGETS.map((target) => ({
    id: target,
    caseId: CASE,
    mostTrials: TRIALS_AT_MOST,
    sides: [
      { name: "one core", target, start: { cores: "one" } },
      // All cores, on which the client waits while a server computes.
      { name: "two cores", target, start: { cores: "all" } },
    ],
  })),
  figures: TARGETS.flatMap((target) =>
    cpuAndTime(
      { comparison: target, side: "two cores", against: "one core" },
      (metric) => `${CASE} on ${target}: ${metric}, two cores / one`,
      { lastByteMs: takesTheSame(TOLERANCE) },
    ),
  ),
});
