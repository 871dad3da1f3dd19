import { join } from "node:path";
import { loadPage } from "@evenbench/report";
import { FACTS_FILE, writeWhole } from "@evenbench/results";
import { type ReadLoadFacts, readLoadFacts } from "./read.ts";

/** Name of a load's page, in its folder. */
const PAGE_FILE = "load.html";

/** The report of a load. */
export interface LoadReport extends ReadLoadFacts {
  /** Path of the page. */
  readonly htmlFile: string;
}

/**
 * Makes the report of a load's folder, and writes facts.json and its page there. Without samples the file of facts stays
 * as it is.
 *
 * @throws {ResultsError} where the folder cannot be read.
 */
export async function createLoadReport(folder: string): Promise<LoadReport> {
  const read = await readLoadFacts(folder);
  const htmlFile = join(folder, PAGE_FILE);
  if (read.facts.run.judgedFrom === "samples") {
    await writeWhole(join(folder, FACTS_FILE), `${JSON.stringify(read.facts)}\n`);
  }
  await writeWhole(htmlFile, loadPage(read.facts));
  return { ...read, htmlFile };
}
