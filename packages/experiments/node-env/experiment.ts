import { cpuAndTime, defineExperiment, UNPACKING } from "../src/define.ts";
import { takesMore } from "../src/judge.ts";
import { WITHOUT_NODE_ENV } from "../src/sides.ts";

/** "Much slower" has no published figure: at least twice the time is meant here. */
const MUCH_SLOWER_RATIO = 2;
const TARGETS = ["node", "cloudflare"] as const;

/** The claim has two parts, time on either runtime: "slower" is said of time. CPU time stands beside it. */
export default defineExperiment({
  title: "React without NODE_ENV",
  claim: "React without NODE_ENV=production runs its development build, which is much slower.",
  source: UNPACKING,
  published: "much slower",
  timeS: 120,
  comparisons: TARGETS.map((target) => ({
    id: target,
    caseId: "react-ssr",
    sides: [
      { name: "production", target },
      {
        name: "unset",
        target,
        build: WITHOUT_NODE_ENV,
        // Nor does the runtime say it: what neither is told, React takes for development.
        start: { environment: { NODE_ENV: "" } },
      },
    ],
  })),
  figures: TARGETS.flatMap((target) =>
    cpuAndTime(
      { comparison: target, side: "unset", against: "production" },
      (metric) => `${target}: ${metric}, unset / production`,
      { lastByteMs: takesMore(MUCH_SLOWER_RATIO) },
    ),
  ),
});
