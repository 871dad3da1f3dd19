import { styleText } from "node:util";
import { terminalLine } from "@evenbench/core";
import type { TerminalOptions } from "@evenbench/report";
import { machineLine, wrap } from "@evenbench/report/parts";
import type { ClaimVerdict, ExperimentsRun } from "@evenbench/results";
import { allVersions, formatFigure, formatVersions, leadFigure, VERDICT_SIGNS } from "./format.ts";

const COLOURS = {
  reproduced: "green",
  "not reproduced": "yellow",
  reversed: "red",
  "cannot tell": "dim",
} as const satisfies Record<ClaimVerdict, string>;

export function renderTerminal(run: ExperimentsRun, { width, color }: TerminalOptions): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const lines = run.results.flatMap((result) => {
    const figures = result.figures.map(({ label, unit, value, verdict, note }) => {
      const why = verdict === "cannot tell" && note !== null ? `: ${note}` : "";
      return `${label}: ${formatFigure({ unit, value })}${verdict === null ? "" : ` (${verdict}${why})`}`;
    });
    return [
      paint("bold", `${result.id}: ${terminalLine(result.title)}`),
      ...wrap(`  published: ${terminalLine(result.published)}. ${terminalLine(result.claim)}`, width, 4),
      ...figures.flatMap((line) => wrap(`  ours: ${terminalLine(line)}`, width, 4)),
      paint(COLOURS[result.verdict], `  ${VERDICT_SIGNS[result.verdict]} ${result.verdict}`),
      ...wrap(`  ${terminalLine(result.reason)}`, width, 2).map((line) => paint("dim", line)),
      "",
    ];
  });
  return `${[...lines, ...table(run), "", ...foot(run, width)].join("\n")}\n`;
}

function table({ results }: ExperimentsRun): string[] {
  const head = ["claim", "published", "ours (99 % interval)", "verdict"];
  const rows = results.map((result) => {
    const lead = leadFigure(result);
    return [
      result.id,
      terminalLine(result.published),
      lead === null ? "–" : formatFigure(lead),
      `${VERDICT_SIGNS[result.verdict]} ${result.verdict}`,
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function foot({ results, machine }: ExperimentsRun, width: number): string[] {
  const versions = terminalLine(formatVersions(allVersions(results)));
  return [...wrap(`On ${terminalLine(machineLine(machine))}.`, width, 0), ...wrap(versions, width, 0)];
}
