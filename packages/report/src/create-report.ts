import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TerminalOptions, terminalOptions } from "@evenbench/page";
import {
  ResultsError,
  removeUnfinished,
  SAMPLES_FILE,
  SUMMARY_FILE,
  writeJson,
  writeWhole,
} from "@evenbench/results";
import { type AdditionsOf, analyseFolder } from "./analyse-run.ts";
import { caseAnswers } from "./answer.ts";
import { renderCsv, summaryOf } from "./export/summary.ts";
import { renderHtml } from "./html/page.ts";
import { renderMarkdown } from "./markdown.ts";
import { CARD_FILE, REPORT_FILE } from "./names.ts";
import { renderTerminal } from "./terminal.ts";

/** All that it writes. */
const FILES: readonly string[] = [
  REPORT_FILE,
  "report.md",
  SUMMARY_FILE,
  "summary.csv",
  CARD_FILE,
  "card.svg",
];

export type Report = Awaited<ReturnType<typeof createReport>>;

interface ReportOptions {
  readonly additionsOf?: AdditionsOf;
  /** Whether files that are there are kept, and nothing is made, where samples were damaged since. */
  readonly keepsWhole?: boolean;
}

/**
 * Writes the reports, the summaries and the card of a run into its folder. The same folder gives the same bytes.
 *
 * @throws {ResultsError} when the run cannot be read, files not be written, or better ones would be replaced.
 */
export async function createReport(
  folder: string,
  options: TerminalOptions = terminalOptions(),
  { additionsOf, keepsWhole = false }: ReportOptions = {},
) {
  const { data, damage } = await analyseFolder(folder, additionsOf);
  const isGone = !existsSync(join(folder, SAMPLES_FILE));
  if ((keepsWhole || isGone) && damage !== null && existsSync(join(folder, SUMMARY_FILE))) {
    throw new ResultsError(
      `${damage} A report of the rest would replace the one that is there, and nothing was written. Bring the samples back, or ${isGone ? "read the table that is there: --table" : "add --anyway"}.`,
    );
  }
  const htmlFile = join(folder, REPORT_FILE);
  const markdownFile = join(folder, "report.md");
  const markdown = renderMarkdown(data);
  const summary = summaryOf(data, damage);
  await removeUnfinished(folder, FILES);
  await writeWhole(htmlFile, renderHtml(data));
  await writeWhole(markdownFile, markdown);
  await writeJson(join(folder, SUMMARY_FILE), summary);
  await writeWhole(join(folder, "summary.csv"), renderCsv(summary));
  const cards = await import("./card/card.ts");
  await cards.writeRunCard(folder, data);
  const files = { htmlFile, markdownFile, cardFile: join(folder, CARD_FILE) };
  const terminal = renderTerminal(data, options);
  return { data, terminal, answers: caseAnswers(data), summary, markdown, ...files };
}
