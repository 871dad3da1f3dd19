// The block of numbers in README.md.
import type { Facts } from "../facts/facts.ts";
import { commandOf } from "../words/command.ts";
import { answerAndTable } from "./share.ts";

/** Writes the block of a document about a run. @param factsFile address of its facts, from where the document stands. */
export function readme(facts: Facts, factsFile: string): string {
  const { run } = facts;
  const command = commandOf(facts);
  const of = command === null ? `run ${run.id}` : `\`${command}\``;
  return [...answerAndTable(facts), "", `[All facts](${factsFile}) of ${of}.`].join("\n");
}
