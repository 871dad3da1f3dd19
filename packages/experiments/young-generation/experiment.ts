import { cpuAndTime, defineExperiment, type Side, UNPACKING } from "../src/define.ts";
import { halfOf, takesMore } from "../src/judge.ts";

const TARGETS = ["node", "cloudflare"] as const;
/** Sizes of the young generation that are measured, in MB. */
const SIZES_MB = [1, 2, 4, 8, 16, 32] as const;
/**
 * Size of the young generation in MB that V8 itself chose in 2017 for a 64-bit machine of 512 MB or less
 * (`kMaxSemiSpaceSizeLowMemoryDevice`). The article names no size.
 */
const SMALL_MB = 2;
/** Published ratio of times: a small young generation / V8's own choice. */
const PUBLISHED_RATIO = 1.25;
const CASES = { churn: "gc-churn", page: "react-ssr" } as const;

const limited = (target: string, megabytes: number): Side => ({
  name: `${megabytes} MB`,
  target,
  start: { v8Flags: [`--max-semi-space-size=${megabytes}`] },
});
const SMALL_AGAINST_DEFAULT = { side: `${SMALL_MB} MB`, against: "default" };

/**
 * The claim has four parts: two cases that allocate, on either runtime, in time, which is what the claim says it
 * cost. CPU time and the other sizes stand beside them.
 */
export default defineExperiment({
  title: "A young generation for small memory",
  claim: "A young generation fixed for machines with little memory cost about 25 % against V8's own choice.",
  source: UNPACKING,
  published: "about 1.25×",
  timeS: 430,
  comparisons: TARGETS.flatMap((target) => {
    const usual = { name: "default", target };
    const small = [usual, limited(target, SMALL_MB)];
    return [
      // What decides by itself, so that its rounds are short; every size is measured beside it.
      { id: `${target}-churn`, caseId: CASES.churn, sides: small, weight: 4 },
      { id: `${target}-page`, caseId: CASES.page, sides: small, weight: 3 },
      {
        id: `${target}-sizes`,
        caseId: CASES.churn,
        sides: [usual, ...SIZES_MB.map((size) => limited(target, size))],
        weight: 4,
      },
    ];
  }),
  figures: TARGETS.flatMap((target) =>
    Object.entries(CASES).flatMap(([name, caseId]) =>
      cpuAndTime(
        { comparison: `${target}-${name}`, ...SMALL_AGAINST_DEFAULT },
        (metric) => `${caseId} on ${target}: ${metric}, ${SMALL_AGAINST_DEFAULT.side} / V8's own choice`,
        { lastByteMs: takesMore(halfOf(PUBLISHED_RATIO)) },
      ),
    ),
  ),
});
