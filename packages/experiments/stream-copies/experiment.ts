import type { ComparisonResult, FigureTable } from "@evenbench/results";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { findContrast, judgeRatio, outcomeOf } from "../src/judge.ts";
import { formatFigure } from "../src/page.ts";

/** "Waste" has no published figure: a tenth of the CPU time is meant here. */
const WASTE = 1.1;
const TARGETS = ["node", "cloudflare"] as const;
const WAYS = ["bytes", "values", "concat", "from", "pipe"] as const;

export default defineExperiment({
  title: "Copies and streams of values",
  claim: "Needless copies, and streams of values where streams of bytes would do, waste time and memory.",
  source: UNPACKING,
  published: "waste, without a figure",
  timeS: 330,
  comparisons: TARGETS.flatMap((target) => [
    // What decides by itself, so that its rounds are short; every way is in the table.
    {
      id: `${target}-values`,
      caseId: "stream-copies",
      sides: ["bytes", "values"].map((how) => ({ name: how, target, parameters: { how } })),
      weight: 4,
    },
    {
      id: `${target}-length`,
      caseId: "length-by-copy",
      sides: ["sum", "concat"].map((how) => ({ name: how, target, parameters: { how } })),
      weight: 2,
    },
    {
      id: `${target}-streams`,
      caseId: "stream-copies",
      sides: WAYS.map((how) => ({ name: how, target, parameters: { how } })),
      contrasts: "cheapest" as const,
      weight: 3,
    },
  ]),
  decide({ comparisons }) {
    const deciding = TARGETS.flatMap((target) => [
      judgeRatio(comparisons[`${target}-length`], {
        label: `${target}: CPU time, length by a copy / by adding up`,
        side: "concat",
        against: "sum",
        metric: "cpu",
        decidesAt: WASTE,
      }),
      judgeRatio(comparisons[`${target}-values`], {
        label: `${target}: CPU time, stream of values / of bytes`,
        side: "values",
        against: "bytes",
        metric: "cpu",
        decidesAt: WASTE,
      }),
    ]);
    const tables = TARGETS.flatMap((target) => waysTable(target, comparisons[`${target}-streams`]));
    return outcomeOf(deciding, [], tables);
  },
});

/** Every way against the one that took the least CPU time. */
function waysTable(target: string, comparison: ComparisonResult | undefined): FigureTable[] {
  if (comparison === undefined || comparison.sides.length === 0) return [];
  const best = comparison.sides.find(({ name }) =>
    comparison.sides.every(
      (side) => side.name === name || findContrast(comparison, side.name, name) !== null,
    ),
  );
  const rows = comparison.sides.map(({ name, lastByteMs, cpuMsPerExchange, peakResidentBytes }) => {
    const against = best === undefined ? null : findContrast(comparison, name, best.name);
    const memory =
      peakResidentBytes === null
        ? null
        : { estimate: peakResidentBytes, low: peakResidentBytes, high: peakResidentBytes };
    return [
      name,
      formatFigure({ unit: "ms", value: lastByteMs }),
      formatFigure({ unit: "ms", value: cpuMsPerExchange }),
      name === best?.name ? "1" : formatFigure({ unit: "ratio", value: against?.cpu ?? null }),
      formatFigure({ unit: "bytes", value: memory }),
    ];
  });
  const head = [
    "method",
    "last byte",
    "CPU time",
    `CPU time against ${best?.name ?? "the best"}`,
    "peak memory",
  ];
  return [{ title: `${target}: 5 MB in 5,120 chunks, by each method`, head, rows }];
}
