import type { Sample } from "@evenbench/results";
import { analyseVantages, type CaseQuestion } from "@evenbench/stats";
import { meanOrNull, medianOrNull } from "./series.ts";

export type VantageReport = ReturnType<typeof seenByVantages>;

/** The analysis, and what each vantage saw of each target. */
export function seenByVantages(samples: readonly Sample[], question: CaseQuestion) {
  const analysis = analyseVantages(samples, question);
  const seen = Map.groupBy(
    samples.filter(({ from }) => from !== undefined),
    ({ from }) => from?.vantage ?? "",
  );
  const rows = [...seen].flatMap(([vantage, all]) =>
    question.targets.flatMap((target) => {
      const exchanges = all.filter((one) => one.target === target);
      if (exchanges.length === 0) return [];
      const own = analysis.cells.filter((cell) => cell.vantage === vantage && cell.target === target);
      const measured = exchanges.filter(({ phase }) => phase === "measure");
      const good = measured.filter(({ error }) => error === null);
      const each = (of: (sample: Sample) => string | null | undefined) => [
        ...new Set(exchanges.flatMap((one) => of(one) ?? [])),
      ];
      return {
        ...{ vantage, target, exchanges: good.length },
        errors: measured.length - good.length,
        medianMs: meanOrNull(own.map(({ ms }) => ms)),
        transferMs: meanOrNull(own.map(({ transferMs }) => transferMs)),
        computeMs: meanOrNull(own.map(({ computeMs }) => computeMs)),
        connectMs: medianOrNull(exchanges.map(({ connectMs }) => connectMs)),
        edges: each(({ from }) => from?.edge).sort(),
        instances: each(({ instanceId }) => instanceId).length,
      };
    }),
  );
  return { ...analysis, rows };
}
