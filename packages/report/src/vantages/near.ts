import type { VantageRow } from "@evenbench/stats";

/** Names of vantages from near to far: by the time that the baseline takes from there. */
export function nearestFirst(rows: readonly VantageRow[], baseline: string): readonly string[] {
  const names = [...new Set(rows.map(({ vantage }) => vantage))];
  const ms = (name: string) =>
    rows.find(({ vantage, target }) => vantage === name && target === baseline)?.medianMs ??
    Number.POSITIVE_INFINITY;
  return names.toSorted((a, b) => ms(a) - ms(b));
}
