import type { ComparisonResult, FigureTable } from "@evenbench/results";
import { type CollectorShares, collectorShares } from "../src/collector.ts";
import { defineExperiment, type Side, UNPACKING } from "../src/define.ts";
import { exactly, findContrast, halfOf, judgeRatio, outcomeOf, ratioFigure } from "../src/judge.ts";
import { formatFigure } from "../src/page.ts";

const TARGETS = ["node", "cloudflare"] as const;
const SIZES = [1, 2, 4, 8, 16, 32] as const;
/**
 * What V8 itself chose in 2017 for a 64-bit machine of 512 MB or less (`kMaxSemiSpaceSizeLowMemoryDevice`).
 * The article names no size.
 */
const SMALL = "2 MB";
const PUBLISHED = 1.25;
const CHURN = "gc-churn";
const PAGE = "react-ssr";

const flagsOf = (megabytes: number) => [`--max-semi-space-size=${megabytes}`];
const limited = (target: string, megabytes: number): Side => ({
  name: `${megabytes} MB`,
  target,
  start: { v8Flags: flagsOf(megabytes) },
});

export default defineExperiment<readonly CollectorShares[]>({
  title: "A young generation for small memory",
  claim: "A young generation fixed for machines with little memory cost about 25 % against V8's own choice.",
  source: UNPACKING,
  published: "about 1.25×",
  timeS: 430,
  comparisons: TARGETS.flatMap((target) => [
    // What decides by itself, so that its rounds are short; every size is in the table.
    {
      id: `${target}-churn`,
      caseId: CHURN,
      sides: [{ name: "default", target }, limited(target, 2)],
      weight: 4,
    },
    {
      id: `${target}-page`,
      caseId: PAGE,
      sides: [{ name: "default", target }, limited(target, 2)],
      weight: 3,
    },
    {
      id: `${target}-sizes`,
      caseId: CHURN,
      sides: [{ name: "default", target }, ...SIZES.map((size) => limited(target, size))],
      weight: 4,
    },
  ]),
  measureShare: 0.2,
  measure: (context) =>
    collectorShares(
      context,
      TARGETS.flatMap((target) =>
        [[], ...SIZES.map(flagsOf)].map((v8Flags) => ({ target, caseId: CHURN, v8Flags, profiles: 1 })),
      ),
      context.timeMs,
    ),
  decide({ comparisons, own }) {
    const question = { side: SMALL, against: "default" } as const;
    const pairs = TARGETS.flatMap((target) => [
      { comparison: comparisons[`${target}-churn`], what: `${CHURN} on ${target}` },
      { comparison: comparisons[`${target}-page`], what: `${PAGE} on ${target}` },
    ]);
    const deciding = pairs.map(({ comparison, what }) =>
      judgeRatio(comparison, {
        ...question,
        label: `${what}: time to the last byte, ${SMALL} / V8's own choice`,
        metric: "lastByteMs",
        decidesAt: halfOf(PUBLISHED),
      }),
    );
    const cpu = pairs.map(({ comparison, what }) =>
      ratioFigure(comparison, {
        ...question,
        label: `${what}: CPU time, ${SMALL} / V8's own choice`,
        metric: "cpu",
      }),
    );
    const tables = TARGETS.flatMap((target) =>
      sizesTable(
        target,
        comparisons[`${target}-sizes`],
        own.filter((one) => one.target === target),
      ),
    );
    return outcomeOf(deciding, cpu, tables);
  },
});

/** Everything that was measured for each size. */
function sizesTable(
  target: string,
  comparison: ComparisonResult | undefined,
  profiles: readonly CollectorShares[],
): FigureTable[] {
  if (comparison === undefined || comparison.sides.length === 0) return [];
  const rows = comparison.sides.map(
    ({ name, lastByteMs, cpuMsPerExchange, residentBytes, peakResidentBytes }) => {
      const flags = name === "default" ? "" : flagsOf(Number.parseInt(name, 10)).join();
      const share = profiles.find(({ v8Flags = [] }) => v8Flags.join() === flags)?.shares[0];
      const contrast = findContrast(comparison, name, "default");
      const rate = lastByteMs === null ? null : exactly(1000 / lastByteMs.estimate);
      const bytes = (value: number | null) =>
        formatFigure({ unit: "bytes", value: value === null ? null : exactly(value) });
      return [
        name,
        formatFigure({ unit: "perSecond", value: rate }),
        formatFigure({ unit: "ms", value: lastByteMs }),
        name === "default" ? "1" : formatFigure({ unit: "ratio", value: contrast?.lastByteMs ?? null }),
        formatFigure({ unit: "ms", value: cpuMsPerExchange }),
        name === "default" ? "1" : formatFigure({ unit: "ratio", value: contrast?.cpu ?? null }),
        formatFigure({ unit: "share", value: share === undefined ? null : exactly(share) }),
        bytes(residentBytes),
        bytes(peakResidentBytes),
      ];
    },
  );
  const head = [
    "semi-space",
    "requests, one client",
    "last byte",
    "against default",
    "CPU time",
    "against default",
    "collector",
    "resident",
    "peak",
  ];
  return [{ title: `${CHURN} on ${target}, semi-space limited to`, head, rows }];
}
