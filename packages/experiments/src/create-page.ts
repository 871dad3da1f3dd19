import { join } from "node:path";
import { type TerminalOptions, terminalOptions } from "@evenbench/report";
import { type ExperimentsRun, writeWhole } from "@evenbench/results";
import { renderHtml } from "./page/html.ts";
import { renderMarkdown } from "./page/markdown.ts";
import { renderTerminal } from "./page/terminal.ts";

export interface ExperimentsPage {
  readonly terminal: string;
  readonly htmlFile: string;
  readonly markdownFile: string;
}

/**
 * Writes `experiments.html` and `experiments.md` into a run's folder.
 *
 * @throws {ResultsError} when they cannot be written.
 */
export async function createExperimentsPage(
  folder: string,
  run: ExperimentsRun,
  options: TerminalOptions = terminalOptions(),
): Promise<ExperimentsPage> {
  const [htmlFile, markdownFile] = [join(folder, "experiments.html"), join(folder, "experiments.md")];
  await writeWhole(htmlFile, renderHtml(run));
  await writeWhole(markdownFile, renderMarkdown(run));
  return { terminal: renderTerminal(run, options), htmlFile, markdownFile };
}
