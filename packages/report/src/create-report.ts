import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TerminalOptions, terminalOptions } from "@evenbench/page";
import { FACTS_FILE, ResultsError, removeUnfinished, SAMPLES_FILE, writeWhole } from "@evenbench/results";
import type { AnalysedRun } from "./analyse-run.ts";
import { analyseFolder } from "./analyse-run.ts";
import type { Facts } from "./facts/facts.ts";
import { makeFacts } from "./facts/make-facts.ts";
import { MEDIA, type MediumInput, REPORT_FILE } from "./media/index.ts";
import { terminal } from "./media/terminal.ts";

/** A report: its files, and what it says. Paths begin as the folder's was given. */
export interface WrittenReport {
  /** What its facts are made from. */
  readonly data: AnalysedRun;
  /** What the run found, as facts.json has it. */
  readonly facts: Facts;
  /** Damage of the samples, as a sentence; null where all can be read. */
  readonly damage: string | null;
  /** The page: one file that works offline. */
  readonly htmlFile: string;
  /** Text that is printed. */
  readonly terminal: string;
}

/** Options with which a report is written. */
export interface ReportOptions {
  /** Reads the loads that lie in the folder of the run. Default: none are read. */
  readonly loadsOf?: (folder: string) => Promise<readonly Facts[]>;
  /**
   * True where files that are there are kept, and nothing is made, where samples were damaged since. Default:
   * false.
   */
  readonly keepsWhole?: boolean;
}

/**
 * Writes the facts, the texts and the pictures of a run into its folder. The same folder gives the same bytes.
 *
 * @param options the width and colours of what is printed; by default those of standard output.
 * @throws {ResultsError} when the run cannot be read, files not be written, or better ones would be replaced.
 */
export async function createReport(
  folder: string,
  options: TerminalOptions = terminalOptions(),
  { keepsWhole = false, loadsOf }: ReportOptions = {},
): Promise<WrittenReport> {
  const { data, damage, damages } = await analyseFolder(folder);
  assertNothingBetterIsThere(folder, damage, keepsWhole);
  const { facts, details } = makeFacts(data, damages);
  const loads = (await loadsOf?.(folder)) ?? [];
  await writeFiles(folder, { facts, details, loads });
  const htmlFile = join(folder, REPORT_FILE);
  return {
    data,
    facts,
    damage,
    htmlFile,
    terminal: terminal(facts, { ...options, report: htmlFile }),
  };
}

/** Refuses to replace a report of whole samples by one of damaged ones. @throws {ResultsError} */
function assertNothingBetterIsThere(folder: string, damage: string | null, keepsWhole: boolean): void {
  const isGone = !existsSync(join(folder, SAMPLES_FILE));
  const mayReplace = !keepsWhole && !isGone;
  if (mayReplace || damage === null || !existsSync(join(folder, FACTS_FILE))) {
    return;
  }
  const remedy = isGone ? "read what is there: --share" : "add --anyway";
  throw new ResultsError(
    `${damage} A report of the rest would replace the one that is there, and nothing was written. Bring the samples back, or ${remedy}.`,
  );
}

async function writeFiles(folder: string, input: MediumInput): Promise<void> {
  await removeUnfinished(
    folder,
    MEDIA.map(({ file }) => file),
  );
  for (const { file, render } of MEDIA) {
    await writeWhole(join(folder, file), await render(input));
  }
}
