// What each place saw of each target.
import type { Sample } from "@evenbench/results";
import type { CaseQuestion, PlacedCell } from "@evenbench/stats";
import { meanOrNull, medianOrNull } from "../series.ts";

/** The row of one target from one vantage. */
export interface VantageRow {
  readonly vantage: string;
  readonly target: string;
  /** Number of measured requests without an error. */
  readonly exchanges: number;
  /** Number of measured requests with one. */
  readonly errors: number;
  /** Number of the answered ones that had to be sent again on a new connection. */
  readonly resent: number;
  /** The mean length of these answers' bodies; null without one. */
  readonly bytes: number | null;
  /** The medians of its trials, in milliseconds. */
  readonly trialMs: readonly number[];
  /** Their mean; null without one. */
  readonly medianMs: number | null;
  /** The time to the last byte less what sending as many bytes takes; null where that was not measured. */
  readonly computeMs: number | null;
  /** The median time of opening a connection, in milliseconds; null where none was opened. */
  readonly connectMs: number | null;
  /** The platform's edges that answered, in alphabetical order. */
  readonly edges: readonly string[];
  /** Number of instances that answered. */
  readonly instances: number;
}

/**
 * Gives a row for each vantage and target that it has samples of.
 *
 * @param samples of one case, all phases; those without a vantage are left out.
 * @param cells as `analyseVantages` gives them for the same samples.
 */
export function vantageRows(
  samples: readonly Sample[],
  { targets }: CaseQuestion,
  cells: readonly PlacedCell[],
): readonly VantageRow[] {
  const placed = samples.filter(({ from }) => from !== undefined);
  const rows: VantageRow[] = [];
  for (const [vantage, all] of Map.groupBy(placed, ({ from }) => from?.vantage ?? "")) {
    for (const target of targets) {
      const exchanges = all.filter((sample) => sample.target === target);
      if (exchanges.length > 0) {
        const own = cells.filter((cell) => cell.vantage === vantage && cell.target === target);
        rows.push(rowOf(vantage, target, exchanges, own));
      }
    }
  }
  return rows;
}

/** @param exchanges of this vantage and target, all phases. @param cells the same by trial. */
function rowOf(
  vantage: string,
  target: string,
  exchanges: readonly Sample[],
  cells: readonly PlacedCell[],
): VantageRow {
  const measured = exchanges.filter(({ phase }) => phase === "measure");
  const good = measured.filter(({ error }) => error === null);
  return {
    vantage,
    target,
    exchanges: good.length,
    errors: measured.length - good.length,
    resent: good.filter(({ resent }) => resent === true).length,
    bytes: meanOrNull(good.map(({ bodyBytes }) => bodyBytes)),
    trialMs: cells.map(({ ms }) => ms),
    medianMs: meanOrNull(cells.map(({ ms }) => ms)),
    computeMs: meanOrNull(cells.map(({ computeMs }) => computeMs)),
    connectMs: medianOrNull(exchanges.map(({ connectMs }) => connectMs)),
    edges: distinct(exchanges.map(({ from }) => from?.edge)).sort(),
    instances: distinct(exchanges.map(({ instanceId }) => instanceId)).length,
  };
}

/** Each text once; what names none is left out. */
function distinct(texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.filter((text) => text != null))];
}

/** The names of the vantages, sorted by the baseline's time from each; those where it has none come last. */
export function nearestFirst(rows: readonly VantageRow[], baseline: string): readonly string[] {
  const near = rows
    .filter(({ target }) => target === baseline)
    .toSorted((a, b) => (a.medianMs ?? Number.POSITIVE_INFINITY) - (b.medianMs ?? Number.POSITIVE_INFINITY));
  return [...new Set([...near, ...rows].map(({ vantage }) => vantage))];
}
