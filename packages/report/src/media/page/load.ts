// The page of a load: one HTML file that loads nothing, from its facts.
import {
  colourMark,
  html,
  htmlDocument,
  htmlTable,
  type Markup,
  PAGE_SCRIPT,
  type Table,
} from "@evenbench/page";
import type { CaseFacts, Facts, TargetFacts } from "../../facts/facts.ts";
import { caseNoun, caseTitle } from "../../words/columns.ts";
import { commandOf } from "../../words/command.ts";
import { stateLines } from "../../words/head.ts";
import { loadAnswer } from "../../words/loads.ts";
import { capitalised, trialWords, versionWords } from "../../words/names.ts";
import { LOAD_KEY, limitTable, loadTable } from "../load.ts";
import { memoryTables } from "../target-tables.ts";
import { targetCell } from "./cells.ts";
import { copiedCommand } from "./command.ts";
import { loadFigures } from "./load-figures.ts";
import css from "./page.css";
import { noticeList, topLine } from "./page.ts";
import { settingsSection } from "./settings.ts";

/** Writes the page of a load. */
export function loadPage(facts: Facts): string {
  const [first, ...others] = facts.cases;
  const noun = caseNoun(facts);
  const heading =
    first === undefined || others.length > 0
      ? `${facts.cases.length} ${noun}s as more is asked of them`
      : `${caseTitle(first)}: ${loadAnswer(facts, first)}`;
  const command = commandOf(facts);
  const parts = [capitalised(trialWords(facts)), versionWords(facts)];
  const body = html`<a class="skip" href="#content">To the results</a>
<header>${topLine(facts, {})}
${stateLines(facts).map((line) => html`<p class="state">${line}</p>`)}
<h1>${heading}</h1></header>
<main id="content">
<h2 class="visually-hidden">${noun === "case" ? "Case by case" : "Path by path"}</h2>
${facts.cases.map((each) => caseSection(facts, each, others.length > 0))}
<p class="key">${LOAD_KEY}</p>
<div class="source"><span>${parts.filter((part) => part !== "").join(" · ")}</span><span><a href="facts.json">Data (JSON)</a></span></div>
${noticeList(facts)}
<details class="more"><summary>Settings, builds, machine</summary>${settingsSection(facts)}</details>
${command === null ? null : html`<p class="key">Load again: ${copiedCommand(command, "command")}</p>`}
</main>
<footer>Load ${facts.run.id}, Evenbench ${facts.run.evenbench}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(heading, body, css, { script: PAGE_SCRIPT });
}

/** Writes the section of a case. @param isNamed whether it has a heading and an answer of its own. */
function caseSection(facts: Facts, each: CaseFacts, isNamed: boolean): Markup {
  const { id } = each;
  const nameOf = ({ name }: TargetFacts) => targetCell(facts, name);
  const heading = isNamed
    ? html`<h3 id="title-${id}">${caseTitle(each)}</h3><p class="lead">${loadAnswer(facts, each)}</p>`
    : html`<h3 id="title-${id}" class="visually-hidden">${caseTitle(each)}</h3>`;
  return html`<section aria-labelledby="title-${id}">${heading}
${table(limitTable(facts, each, nameOf), `What targets answer at most, ${id}`)}
${legend(facts)}${loadFigures(facts, each)}
${memoryTables(facts, each).map((made) => html`${table(made, `Memory, ${id}`)}${made.notes.map((note) => html`<p class="key">${note}</p>`)}`)}
<details class="numbers"><summary>Under each load</summary>${table(loadTable(facts, each, nameOf), `Under each load, ${id}`)}</details></section>
`;
}

/** Names the colours of the lines. */
function legend({ targets }: Facts): Markup {
  return html`<p class="legend">${targets.map((target) => html`${colourMark(target.spoken, target.colour)} `)}</p>`;
}

/** Writes a table; null where there is none, or it has no rows. */
function table(made: Table | null, caption: string): Markup | null {
  return made === null || made.rows.length === 0 ? null : htmlTable(caption, made);
}
