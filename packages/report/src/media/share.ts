// The text that is pasted: the report in Markdown, the summary of a job, the comment of a pull request.
import { escapedMarkdown, markdownTable } from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { answers } from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { cautionLines, headline, stateLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { capitalised, dayOf, judgedWords, placeWords, versionWords } from "../words/names.ts";
import { legend } from "../words/notation.ts";
import { notesOf, tablesOf } from "./table.ts";

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
  const tables = tablesOf(facts, { names: "title" });
  const said = answers(facts);
  const answer = said.length === 0 ? headline(facts) : said.join(" ");
  const shown = tables.flatMap(({ changes }) => changes);
  const sentences = [legend(shown), footnote(shown)].filter((text) => text !== "").map((text) => `${text}.`);
  const small = [
    ...sentences,
    ...notesOf(tables),
    ...cautionLines(facts, "title"),
    sourceSentence(facts),
  ].join(" ");
  return [
    ...stateLines(facts).flatMap((line) => [escapedMarkdown(line), ""]),
    `**${escapedMarkdown(answer)}**`,
    "",
    ...tables.flatMap((table) => [...markdownTable(table), ""]),
    escapedMarkdown(small),
  ];
}

/** Says where it was measured, by which versions, and when: "One machine (…); Node.js 26.12.1; 2026-11-29." */
function sourceSentence(facts: Facts): string {
  const versions = versionWords(facts);
  const judged = judgedWords(facts);
  const parts = [
    capitalised(placeWords(facts)),
    ...(versions === "" ? [] : [versions]),
    dayOf(facts),
    ...(judged === null ? [] : [judged]),
  ];
  return `${parts.join("; ")}.`;
}
