import type { Run, Sample } from "@evenbench/results";
import { mean, quantile, sorted, sum, variance } from "@evenbench/stats";
import { unprovenCases } from "../case-report.ts";

/** In the layout of hyperfine's "--export-json": seconds, from request to last byte. */
export function hyperfineExport(run: Run, samples: readonly Sample[]) {
  const unproven = unprovenCases(run);
  const results = run.plan.cases.flatMap(({ id }) => {
    const measured = samples.filter(
      ({ caseId, phase, error }) => caseId === id && phase === "measure" && error === null,
    );
    return [...Map.groupBy(measured, ({ target }) => target)].map(([target, own]) => {
      const used = run.usage.filter((one) => one.caseId === id && one.target === target);
      // A name is all that readers of this layout show.
      const caveat = unproven.has(id) ? " (the work was not proven equal)" : "";
      return {
        command: `${id} ${target}${caveat}`,
        ...figuresOf(own.map(({ lastByteMs }) => (lastByteMs ?? 0) / 1000)),
        user: cpuSeconds(used, "userMs"),
        system: cpuSeconds(used, "systemMs"),
        parameters: { case: id, target },
      };
    });
  });
  return { results };
}

function figuresOf(times: readonly number[]) {
  const ascending = sorted(times);
  return {
    mean: mean(times),
    stddev: times.length < 2 ? null : Math.sqrt(variance(times)),
    median: quantile(ascending, 0.5),
    min: quantile(ascending, 0),
    max: quantile(ascending, 1),
    times,
    exit_codes: times.map(() => 0),
  };
}

/** For one exchange; 0 where the system did not report it, as hyperfine's readers expect a number. */
function cpuSeconds(used: Run["usage"], of: "userMs" | "systemMs"): number {
  const exchanges = sum(used.map((one) => one.exchanges));
  return exchanges === 0 ? 0 : sum(used.map((one) => one[of] ?? 0)) / exchanges / 1000;
}
