// The first page of a gallery: the current standing at each place.
import {
  colourMark,
  formatMs,
  html,
  htmlTable,
  type Markup,
  type TableCell,
  unbroken,
} from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { baselineName, type Column, columnsOf, levelOf, mainChanges } from "../words/columns.ts";
import { foundLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { cell, LEGEND } from "../words/notation.ts";
import { agreementSection } from "./agreement.ts";
import type { CaseHistory, History } from "./histories.ts";
import { basis, caseFile, type PageParts, placeSection } from "./place.ts";
import { hasLine, reachOf, sparkline } from "./sparkline.ts";

/** The command that measures what the first page shows. */
const MEASURE = "npm run bench";

/** Writes the first page: the current standing at each place. @param contributed of other machines, the newest first. */
export function indexPage(histories: readonly History[], contributed: readonly Facts[]): PageParts {
  const [main] = histories as [History];
  const isOfOwn = main.standing.run.of !== "cases";
  const what = isOfOwn ? "How these servers compare" : "The same JavaScript on several platforms";
  const [claim, ...others] = foundLines(main.standing);
  const answer = others.length === 0 ? null : html`<p class="answer">${unbroken(others.join(" "))}</p>`;
  const measure = isOfOwn ? null : html`<p class="key">Measure it yourself: <code>${MEASURE}</code></p>`;
  const standings = histories.map(({ standing }) => standing);
  const body = html`<header><p class="place">${what}</p><h1>${unbroken(claim)}</h1>
${answer}${measure}</header>
<main>${histories.map((history, index) => placeSection(history, index, standingTable(history)))}
<p class="key">${standingKey(histories)}</p>
${agreementSection(standings, contributed)}</main>`;
  const description = `${foundLines(main.standing).join(" ")} ${main.place}. ${basis(main)}`;
  return { title: claim, description, body };
}

/** Explains the signs, the mark and the lines that the tables have. */
function standingKey(histories: readonly History[]): string {
  const marks = new Set(histories.map(({ standing }) => footnote(mainChanges(standing))));
  const hasLines = histories.some(({ cases }) => cases.some(({ time }) => time.some(hasLine)));
  const sentences = [
    `${LEGEND}.`,
    ...[...marks].filter((text) => text !== "").map((text) => `${text}.`),
    ...(hasLines ? ["A line goes from run to run: below the grey one it takes less than the baseline."] : []),
  ];
  return sentences.join(" ");
}

function standingTable({ place, runs, cases, standing }: History): Markup {
  const columns = columnsOf(standing);
  const compared = cases.flatMap(({ time }) => time.filter(({ newest }) => newest.change !== null));
  const reach = reachOf(compared);
  const hasChanges = compared.some(({ changed }) => changed !== null);
  const rows = cases.map((ofCase): readonly TableCell[] => [
    titleCell(ofCase),
    {
      text: formatMs(levelOf(standing, ofCase.case.id, ofCase.case.baseline)?.value ?? null),
      className: "number",
    },
    ...columns.map((column) => changeCell(ofCase, column, runs.length, reach)),
    ...(hasChanges ? [changedCell(ofCase)] : []),
  ]);
  const head: readonly TableCell[] = [
    `${METRICS[TIME].title} against ${baselineName(standing)}`,
    baselineName(standing),
    ...columns.map(({ spoken, colour }) => ({ text: spoken, html: colourMark(spoken, colour) })),
    ...(hasChanges ? ["What changed"] : []),
  ];
  return htmlTable(`Current standing, ${place}`, { head, rows }, "standing");
}

/** Makes the cell of a case's title, which leads to its page. */
function titleCell({ case: { id, title, path } }: CaseHistory): TableCell {
  const ownId = path !== null || id === title ? null : html`<small>${id}</small>`;
  return { text: title, html: html`<a href="${caseFile(id)}">${title}</a>${ownId}` };
}

/** Makes the cell of a platform in a case: its newest change, and the line from run to run. */
function changeCell({ time }: CaseHistory, column: Column, runs: number, reach: number): TableCell {
  const found = time.find(({ target }) => column.targets.some(({ name }) => name === target.name));
  const change = found?.newest.change ?? null;
  if (found === undefined || change === null) {
    return "–";
  }
  const text = cell(change);
  return {
    text,
    html: html`${text}${sparkline(found, runs, reach)}`,
    className: `number ${change.verdict}`,
  };
}

/** What changed of a case's targets, and the versions that are new since then, which need not be the cause. */
function changedCell({ time }: CaseHistory): TableCell {
  const changes = time.flatMap(({ target, changed }) => {
    if (changed === null) {
      return [];
    }
    const { before, after, day, versions } = changed;
    const since = versions.length === 0 ? "no version changed" : `new: ${versions.join("; ")}`;
    return [
      { name: target.spoken, words: `${cell(before, "drawn")} to ${cell(after, "drawn")}`, day, since },
    ];
  });
  const text = changes.map(({ name, words, day, since }) => `${name}: ${words}, ${day}, ${since}`).join("; ");
  const markup = changes.map(
    ({ name, words, day, since }) =>
      html`<small>${name}: <strong>${words}</strong>, ${day}; ${since}</small>`,
  );
  return { text, html: html`${markup}`, className: "changed" };
}
