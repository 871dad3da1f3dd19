import { join } from "node:path";
import { type TerminalOptions, terminalOptions } from "@evenbench/report";
import { writeWhole } from "@evenbench/results";
import { type LoadData, readLoadData } from "./data.ts";
import { renderLoadHtml } from "./html.ts";
import { renderLoadTerminal } from "./terminal.ts";

/** The report of a load run, and where its file is. */
export interface LoadReport {
  readonly data: LoadData;
  readonly terminal: string;
  readonly htmlFile: string;
}

/**
 * Makes `load.html` in the folder of a load run, and the text for the terminal. The same folder gives the
 * same bytes again.
 *
 * @throws {ResultsError} when the run cannot be read or the file not be written.
 */
export async function createLoadReport(
  folder: string,
  { width }: TerminalOptions = terminalOptions(),
): Promise<LoadReport> {
  const data = await readLoadData(folder);
  const htmlFile = join(folder, "load.html");
  await writeWhole(htmlFile, renderLoadHtml(data));
  return { data, terminal: renderLoadTerminal(data, width), htmlFile };
}
