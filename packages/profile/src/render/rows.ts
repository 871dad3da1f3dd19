import type { Owner, SelfTime } from "@evenbench/results";

/** One owner over several targets; null where a target has no sample of it. */
export interface ComparedRow extends Owner {
  readonly shares: readonly (number | null)[];
}

/** The owners of all targets in one table, largest first: what is idle is no share of the work, and left out. */
export function comparedRows(targets: readonly SelfTime[]): readonly ComparedRow[] {
  const names = new Map(
    targets.flatMap(({ rows }) =>
      rows.filter(({ kind }) => kind !== "idle").map((row) => [row.name, row.kind] as const),
    ),
  );
  const rows = [...names].map(([name, kind]) => ({
    name,
    kind,
    shares: targets.map((target) => target.rows.find((row) => row.name === name)?.share ?? null),
  }));
  const largest = ({ shares }: ComparedRow) => Math.max(...shares.map((share) => share ?? 0));
  return rows.sort((a, b) => largest(b) - largest(a) || (a.name < b.name ? -1 : 1));
}
