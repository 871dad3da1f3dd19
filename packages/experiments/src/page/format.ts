import { formatBytes, formatCount, formatMs, formatPercent, formatRatio } from "@evenbench/report/parts";
import type { ClaimSource, ClaimVerdict, ExperimentResult, Figure } from "@evenbench/results";

/** Beside the word: nobody has to tell colours apart. */
export const VERDICT_SIGNS: Readonly<Record<ClaimVerdict, string>> = {
  reproduced: "✓",
  "not reproduced": "✕",
  reversed: "⇄",
  "cannot tell": "?",
};

/** A figure's value with its interval, in its unit; a dash where it could not be had. */
export function formatFigure({ unit, value }: Pick<Figure, "unit" | "value">): string {
  if (value === null) return "–";
  const { estimate, low, high } = value;
  if (unit === "ratio" && low !== high) return formatRatio(value);
  const one = formatters[unit];
  return low === high ? one(estimate) : `${one(estimate)} (${one(low)}–${one(high)})`;
}

const formatters: Readonly<Record<Figure["unit"], (value: number) => string>> = {
  ratio: (value) => `${value.toFixed(2)}×`,
  share: formatPercent,
  ms: formatMs,
  bytes: formatBytes,
  usd: (value) => `$${Number(value.toPrecision(3))}`,
  count: (value) => (Number.isInteger(value) ? formatCount(value) : value.toFixed(2)),
  perSecond: (value) => `${value >= 100 ? formatCount(Math.round(value)) : value.toPrecision(3)}/s`,
};

/** The figure that stands for the experiment in a table: the first one with its verdict, else the first one. */
export function leadFigure({ figures, verdict }: ExperimentResult): Figure | null {
  return figures.find((figure) => figure.verdict === verdict) ?? figures[0] ?? null;
}

export function formatSource({ title, publisher, date }: ClaimSource): string {
  return `${publisher}, “${title}”${date === null ? "" : `, ${date}`}`;
}

/** "Node.js 24.21.0, V8 in Node.js 13.6" */
export function formatVersions(versions: Readonly<Record<string, string>>): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

export function allVersions(results: readonly ExperimentResult[]): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const { versions } of results) {
    for (const [name, version] of Object.entries(versions)) {
      const before = seen[name];
      seen[name] =
        before === undefined || before.split(" and ").includes(version)
          ? (before ?? version)
          : `${before} and ${version}`;
    }
  }
  return seen;
}

export function notesOf({ comparisons }: ExperimentResult): readonly string[] {
  return comparisons.flatMap(({ id, unmeasured, events }) => [
    ...unmeasured.map(({ name, why }) => `${id}: ${name} was not measured: ${why}`),
    ...events.map((event) => `${id}: ${event}`),
  ]);
}
