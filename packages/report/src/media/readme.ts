// The block of numbers in README.md and in docs/findings.
import { escapedMarkdown, formatDuration } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { answerBeside } from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { answerAndTable } from "./share.ts";

/** Writes the block of a document about a run. @param factsFile address of its facts, from where the document stands. */
export function readme(facts: Facts, factsFile: string): string {
  const { run } = facts;
  const command = commandOf(facts);
  const cpu = answerBeside(facts, "cpuMs");
  const of = command === null ? `run ${run.id}` : `\`${command}\``;
  const took = run.tookMs === null ? "" : `, which took ${formatDuration(run.tookMs)}`;
  return [
    ...answerAndTable(facts),
    ...(cpu === "" ? [] : [escapedMarkdown(cpu)]),
    "",
    `[All facts](${factsFile}) of ${of}${took}.`,
  ].join("\n");
}
