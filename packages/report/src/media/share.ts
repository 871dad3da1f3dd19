// The text that is pasted: the report in Markdown, the summary of a job, the comment of a pull request.
import { escapedMarkdown, markdownTable } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { adapterNotes } from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { cautionLines, foundLines, stateLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { dayOf, sourceWords, versionWords } from "../words/names.ts";
import { legend } from "../words/notation.ts";
import { tablesOf } from "./table.ts";
import { notesOf } from "./target-tables.ts";

/** Writes what can be pasted, in Markdown: what is void, the counts, the table, what it needs to be read, and its command. */
export function share(facts: Facts): string {
  const { run } = facts;
  const command = commandOf(facts);
  const source = [
    ...(command === null ? [] : [`\`${command.replaceAll("`", "'")}\``]),
    `Evenbench ${escapedMarkdown(run.evenbench)}`,
    `run ${escapedMarkdown(run.id)}`,
  ];
  return [...answerAndTable(facts), source.join(", ")].join("\n");
}

/** Writes what the share text and the block of a README have in common: all but the last line. */
export function answerAndTable(facts: Facts): readonly string[] {
  const tables = tablesOf(facts);
  const shown = tables.flatMap(({ changes }) => changes);
  const sentences = [legend(shown), footnote(shown)].filter((text) => text !== "").map((text) => `${text}.`);
  const source = sourceWords(facts, [versionWords(facts), dayOf(facts)]);
  const small = [
    ...sentences,
    ...notesOf(tables),
    ...adapterNotes(facts),
    ...cautionLines(facts),
    source,
  ].join(" ");
  return [
    ...stateLines(facts).flatMap((line) => [escapedMarkdown(line), ""]),
    `**${escapedMarkdown(foundLines(facts).join(" "))}**`,
    "",
    ...tables.flatMap((table) => [...markdownTable(table), ""]),
    escapedMarkdown(small),
  ];
}
