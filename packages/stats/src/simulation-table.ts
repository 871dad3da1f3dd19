/** A share as a cell of a table. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Prints a table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(
    [line(head), line(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(line), ""].join("\n"),
  );
}
