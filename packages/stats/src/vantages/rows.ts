import type { Sample } from "@evenbench/results";
import { mean, median } from "../quantile.ts";
import type { Series } from "../series.ts";
import type { TrialPlaces } from "./trials.ts";

/** What one target did, seen from one vantage. Times in milliseconds. */
export interface VantageRow {
  readonly vantage: string;
  readonly target: string;
  readonly clients: number;
  readonly trials: number;
  /** Measured ones without an error, and those with one. */
  readonly exchanges: number;
  readonly errors: number;
  /** Mean over the trials of their medians; null where nothing was measured. */
  readonly medianMs: number | null;
  /**
   * The same of the payload of the same length, and what is left of the case's last byte without it; null
   * where that was not measured.
   */
  readonly transferMs: number | null;
  readonly computeMs: number | null;
  /** Median time to connect. */
  readonly connectMs: number | null;
  /** What answered: places of the platform, instances, and in which version of HTTP, each once. */
  readonly edges: readonly string[];
  readonly instances: number;
  readonly httpVersions: readonly string[];
}

/**
 * One row for each vantage and target, in the order of the samples and of `targets`.
 *
 * @param series of the metric that is in question, by target.
 * @param lastBytes the same of the last byte, from which transfer time is taken off.
 */
export function vantageRows(
  samples: readonly Sample[],
  targets: readonly string[],
  series: ReadonlyMap<string, Series>,
  lastBytes: ReadonlyMap<string, Series>,
  places: TrialPlaces,
): readonly VantageRow[] {
  const seen = Map.groupBy(
    samples.filter(({ from }) => from !== undefined),
    ({ from }) => from?.vantage ?? "",
  );
  return [...seen].flatMap(([vantage, own]) => {
    const byTarget = Map.groupBy(own, ({ target }) => target);
    return targets.flatMap((target) => {
      const exchanges = byTarget.get(target);
      if (exchanges === undefined) return [];
      const trials = [...(places.get(target) ?? [])].filter(([, place]) => place.vantage === vantage);
      const medianIn = (of: ReadonlyMap<string, Series>, trial: number) => {
        const ms = of.get(target)?.trials.get(trial)?.ms;
        return ms === undefined ? [] : [median(ms)];
      };
      const transfers = trials.flatMap(([, { transferMs }]) => transferMs ?? []);
      const computed = trials.flatMap(([trial, { transferMs }]) =>
        transferMs === null ? [] : medianIn(lastBytes, trial).map((ms) => ms - transferMs),
      );
      return {
        vantage,
        target,
        ...countsOf(exchanges),
        trials: trials.length,
        medianMs: meanOrNull(trials.flatMap(([trial]) => medianIn(series, trial))),
        transferMs: meanOrNull(transfers),
        computeMs: meanOrNull(computed),
      };
    });
  });
}

function countsOf(exchanges: readonly Sample[]) {
  const measured = exchanges.filter(({ phase }) => phase === "measure");
  const good = measured.filter(({ error }) => error === null);
  const connects = exchanges.flatMap(({ connectMs }) => connectMs ?? []);
  const each = (of: (sample: Sample) => string | null | undefined) => [
    ...new Set(exchanges.flatMap((one) => of(one) ?? [])),
  ];
  return {
    clients: each(({ from }) => from?.client).length,
    exchanges: good.length,
    errors: measured.length - good.length,
    connectMs: connects.length === 0 ? null : median(connects),
    edges: each(({ from }) => from?.edge).sort(),
    instances: each(({ instanceId }) => instanceId).length,
    httpVersions: each(({ from }) => from?.httpVersion).sort(),
  };
}

function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}
