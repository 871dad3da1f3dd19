import { join } from "node:path";
import { type Reason, withQuotes } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { terminalOptions } from "@evenbench/page";
import { type Facts, MARKDOWN_FILE, notCompared, share, terminal } from "@evenbench/report";
import { FACTS_FILE, writeWhole } from "@evenbench/results";
import { ExitCode } from "../exit.ts";
import { writeExports } from "../exports.ts";
import { judge, sayJudged } from "../gate.ts";
import type { JudgedLine, Judgement } from "../limits.ts";
import type { OutputOptions } from "../options.ts";
import { sayJson, sayNote, sayPainted } from "../say.ts";

/** What comparing two states of several targets gave. */
export interface AgainstOutcome {
  readonly facts: Facts;
  /** Path of the folder of the runs. */
  readonly out: string;
  /** What ended early, or could not be measured. */
  readonly unfinished: readonly Reason[];
}

/** Options of printing an outcome. */
export interface PrintOptions extends OutputOptions {
  readonly signal: AbortSignal;
}

/** Prints a comparison. */
export function sayComparison(facts: Facts, { json }: OutputOptions): void {
  if (json) {
    sayJson(facts, 2);
  } else {
    sayPainted(terminal(facts, { ...terminalOptions(), report: null }));
  }
}

/** Prints what was found, writes it beside the runs, and says what is missing. */
export async function printOutcome(
  { facts, out, unfinished }: AgainstOutcome,
  options: PrintOptions,
): Promise<Judgement> {
  const { json, signal } = options;
  sayComparison(facts, options);
  // Before anything is written: a disk that is full ends it there.
  for (const line of unfinished) {
    sayNote(`evenbench: ${withQuotes(line)}`);
  }
  // What was stopped before it found anything leaves the files of an earlier comparison as they are.
  if (!signal.aborted || facts.levels.length + facts.changes.length > 0) {
    makeFolder(out);
    await writeWhole(join(out, FACTS_FILE), `${JSON.stringify(facts)}\n`);
    const text = join(out, MARKDOWN_FILE);
    await writeWhole(text, `${share(facts)}\n`);
    if (!json) {
      sayNote(`To paste: ${text}`);
    }
  }
  await writeExports(facts, options, out);
  const { code, lines } = judge(facts, signal.aborted ? {} : options, unfinished.length === 0);
  sayJudged(lines);
  const isUndecided = code === ExitCode.done && notCompared(facts).length > 0;
  const failed = unfinished.map(
    ({ message: text, quotes }): JudgedLine => ({ kind: "failed", text, quotes }),
  );
  return {
    code: isUndecided ? ExitCode.undecided : code,
    lines: [...failed, ...lines],
  };
}
