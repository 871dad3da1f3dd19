import { join } from "node:path";
import { terminalLine } from "@evenbench/core";
import { type TerminalOptions, terminalOptions } from "@evenbench/report";
import { textTable, wrap } from "@evenbench/report/parts";
import { writeWhole } from "@evenbench/results";
import { type LoadData, readLoadData } from "./data.ts";
import { describeClient } from "./format.ts";
import { renderLoadHtml } from "./html.ts";
import { findingsOf, loadTable } from "./rows.ts";

export interface LoadReport {
  readonly data: LoadData;
  readonly terminal: string;
  readonly htmlFile: string;
}

export async function createLoadReport(
  folder: string,
  { width }: TerminalOptions = terminalOptions(),
): Promise<LoadReport> {
  const data = await readLoadData(folder);
  const htmlFile = join(folder, "load.html");
  await writeWhole(htmlFile, renderLoadHtml(data));
  return { data, terminal: renderLoadTerminal(data, width), htmlFile };
}

function renderLoadTerminal(data: LoadData, width: number): string {
  const lines: string[] = [];
  for (const { title, details, remedy } of data.warnings) {
    const more = details.length > 1 ? ` (and ${details.length - 1} more)` : "";
    lines.push(
      ...wrap(terminalLine(`! ${title}: ${details[0]}${more}`), width, 2),
      ...wrap(`  ${remedy}`, width, 2),
    );
  }
  const { engine } = data.run.plan;
  if (engine !== null) lines.push(terminalLine(`Requests were sent by ${describeClient(data.run)}.`));
  for (const report of data.cases) {
    const { rows, head, cellsOf, key } = loadTable(report);
    if (lines.length > 0) lines.push("");
    lines.push(terminalLine(`${report.manifest.id}: ${report.manifest.title}`));
    if (rows.length === 0) {
      lines.push("Nothing was measured.");
      continue;
    }
    const cells = rows.map((row, index) => [
      rows[index - 1]?.subject === row.subject ? "" : terminalLine(row.subject),
      ...cellsOf(row),
    ]);
    const numeric = head.map((_, index) => index + 1).slice(1);
    lines.push(...textTable({ head: ["target", ...head], rows: cells, numeric }), ...wrap(key, width, 2), "");
    for (const { subject, sentence } of findingsOf(report, data.run.plan.condition))
      lines.push(...wrap(terminalLine(`${subject} ${sentence}`), width, 2));
  }
  return `${lines.join("\n")}\n`;
}
