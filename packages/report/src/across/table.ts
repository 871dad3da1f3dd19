import { terminalLine } from "@evenbench/core";

/** A plain table: columns as wide as their widest cell, numbers flush right. */
export function plainTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly number[],
): string {
  const clean = rows.map((cells) => cells.map(terminalLine));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...clean.map((cells) => (cells[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return numeric.includes(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [head, ...clean].map(line).join("\n");
}
