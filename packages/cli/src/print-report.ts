import type { Report } from "@evenbench/report";
import type { OutputOptions } from "./output-options.ts";
import { say, sayJson, sayPainted } from "./say.ts";

/** Prints a report's text, and where its files are; or its answer alone; or all that it found, as JSON. */
export function printReport(
  { terminal, answers, summary, htmlFile, markdownFile, cardFile }: Report,
  { quiet = false, json = false }: OutputOptions,
): void {
  if (json) {
    sayJson(summary, 2);
    return;
  }
  if (quiet) say(`${answers.join("\n")}\n`);
  else sayPainted(terminal);
  say(`Report: ${htmlFile}\n        ${markdownFile}\n        ${cardFile}`);
}
