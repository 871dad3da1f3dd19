// The page of a run: one HTML file that loads nothing, from its facts, with drawings where it has details.
import {
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  type Markup,
  PAGE_SCRIPT,
  textOf,
} from "@evenbench/page";
import type { Details } from "../../facts/details.ts";
import type { Facts, Notice } from "../../facts/facts.ts";
import { adapterNotes, caseNoun } from "../../words/columns.ts";
import { commandOf, stepWords } from "../../words/command.ts";
import { foundLines, stateLines } from "../../words/head.ts";
import { footnote } from "../../words/mark.ts";
import { capitalised, dayOf, placeWords, trialWords, versionWords } from "../../words/names.ts";
import { entryOf, noticeLine, placeLine, VOID_SIGN } from "../../words/notices.ts";
import { CARD_FILE, REPORT_FILE } from "../files.ts";
import { tablesOf } from "../table.ts";
import { type FactTable, notesOf, tablesBeside } from "../target-tables.ts";
import { caseSection } from "./case-section.ts";
import { chart } from "./chart.ts";
import { copiedCommand } from "./command.ts";
import css from "./page.css";
import { picturesOf, tabStyle, tabs } from "./pictures.ts";
import { methodSection, settingsSection } from "./settings.ts";
import { remarkList } from "./tables.ts";

/** The place of a page. */
export interface PageOptions {
  /** Address of the published folder, with a slash at its end: previews of links need it. Default: it is not published. */
  readonly folderUrl?: string | null;
  /** Link to the page of all runs, from its own place. Default: none. */
  readonly back?: string;
  /** False where no picture lies beside the page. Default: true. */
  readonly hasCard?: boolean;
  /** Facts of loads that were put on the same targets: their figures stand at their cases. Default: none. */
  readonly loads?: readonly Facts[];
}

/** Writes the page of a run. @param details null where the run has no samples: the page without drawings. */
export function page(facts: Facts, details: Details | null, options: PageOptions = {}): string {
  const pictures = picturesOf(facts);
  const detailsOf = (id: string) => details?.cases.find((each) => each.case === id) ?? null;
  const noun = caseNoun(facts);
  const [heading, ...others] = foundLines(facts);
  const isDrawn = facts.run.of !== "app" && pictures.length > 0;
  const body = html`<a class="skip" href="#content">To the results</a>
<header>${topLine(facts, options)}
${stateLines(facts).map((line) => html`<p class="state">${line}</p>`)}
<h1>${heading}</h1>
${others.map((line) => html`<p class="second">${line}</p>`)}</header>
<main id="content">${tabs(pictures)}
${pictures.map((picture) => chart(facts, picture))}${isDrawn ? adapterNotes(facts).map((note) => html`<p class="key">${note}</p>`) : null}${factTables(isDrawn ? tablesBeside(facts) : tablesOf(facts))}
${sourceLine(facts)}
${nextSteps(facts)}
${noticeList(facts)}
<details class="more"><summary>Settings, builds, machine</summary>${details === null ? null : remarkList(facts, details.remarks)}${settingsSection(facts)}</details>
<h2 id="cases">${noun === "case" ? "Case by case" : "Path by path"} <button type="button" class="fold" hidden>Open all ${noun}s</button></h2>
${facts.cases.map((each) => caseSection(facts, each, detailsOf(each.id), options.loads))}
${repeatSection(facts)}
<details class="more"><summary>What the words mean</summary>${methodSection(facts)}</details>
</main>
<footer>Run ${facts.run.id}, Evenbench ${facts.run.evenbench}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(heading, body, css + tabStyle(pictures), {
    head: preview(facts, heading, options),
    script: PAGE_SCRIPT,
  });
}

/** Writes where and when it was measured, and the links out of the page. */
export function topLine(facts: Facts, { back }: PageOptions): Markup {
  const way = back === undefined ? null : html`<a href="${back}">All runs</a> · `;
  return html`<p class="place">${way}<strong>Evenbench</strong> · ${dayOf(facts)} · ${placeWords(facts)}</p>`;
}

/** Writes what no picture shows. */
function factTables(tables: readonly FactTable[]): Markup {
  const drawn = tables.map((table) => {
    const [first = ""] = table.head;
    return htmlTable(`Results: ${textOf(first)}`, table);
  });
  const note = footnote(tables.flatMap(({ changes }) => changes));
  return html`${drawn}${[...(note === "" ? [] : [note]), ...notesOf(tables)].map((text) => html`<p class="key">${text}</p>`)}`;
}

/** Writes the source of the numbers, with the files that hold them. */
function sourceLine(facts: Facts): Markup {
  const parts = [capitalised(trialWords(facts)), versionWords(facts), `Run ${facts.run.id}`];
  return html`<div class="source"><span>${parts.filter((part) => part !== "").join(" · ")}</span><span><a href="facts.json">Data (JSON)</a> · <a href="facts.csv">CSV</a></span></div>`;
}

/** Writes what would decide what is unclear, with commands to copy; null where nothing would, or no command is known. */
function nextSteps(facts: Facts): Markup | null {
  const lines = facts.next.flatMap((step, index) => {
    const command = commandOf(facts, step);
    return command === null
      ? []
      : [html`<p>${stepWords(facts, step)}:<br>${copiedCommand(command, `next-${index}`)}</p>`];
  });
  return lines.length === 0 ? null : html`<section class="next" aria-label="Next">${lines}</section>`;
}

/** Lists notices, each folded to its line; null where there are none. */
export function noticeList(facts: Facts): Markup | null {
  if (facts.notices.length === 0) {
    return null;
  }
  const folded = (notice: Notice) => {
    const { code, weight, found } = notice;
    const { title, remedy } = entryOf(code);
    const places = found.map((place) => html`<li>${placeLine(facts, code, place)}</li>`);
    // What is void stands above the heading with its words.
    const line = weight === "void" ? `${VOID_SIGN} ${title}` : noticeLine(facts, notice);
    return html`<details class="${weight}"><summary>${line}</summary><p>${remedy}</p><ul>${places}</ul></details>`;
  };
  return html`<section class="notices" aria-label="Notices">${facts.notices.map(folded)}</section>`;
}

/** Writes the command that was typed; null where none was recorded. */
function repeatSection(facts: Facts): Markup | null {
  const command = commandOf(facts);
  return command === null
    ? null
    : html`<p class="key">Measure it again: ${copiedCommand(command, "command")}</p>`;
}

/** Makes what is shown where somebody posts a link to the page. */
function preview(facts: Facts, heading: string, { folderUrl = null, hasCard = true }: PageOptions): Markup {
  const said = [...foundLines(facts).slice(1), `${capitalised(placeWords(facts))}, ${dayOf(facts)}.`].join(
    " ",
  );
  return linkPreview({
    kind: "article",
    title: heading,
    description: said,
    ...(hasCard && { image: `${folderUrl ?? ""}${CARD_FILE}`, imageSays: heading }),
    ...(folderUrl !== null && { url: folderUrl + REPORT_FILE }),
  });
}
