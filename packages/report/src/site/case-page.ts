// The page of a case in a gallery: its standing and its history at each place.
import {
  colourMark,
  commandCode,
  counted,
  formatMs,
  html,
  htmlTable,
  listed,
  type Markup,
  type TableCell,
  unbroken,
} from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { baselineName, columnsOf, mainChanges, ofColumn } from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { foundLines } from "../words/head.ts";
import { footnote } from "../words/mark.ts";
import { cell, LEGEND } from "../words/notation.ts";
import { historyFigures } from "./figures.ts";
import type { CaseHistory, History, TargetHistory } from "./histories.ts";
import { type PageParts, placeSection, reportCell } from "./place.ts";

const NOTHING_COMPARED = "Nothing was compared.";

/** A case on its page: its history at one place. */
export interface CaseAtPlace {
  readonly ofCase: CaseHistory;
  readonly history: History;
}

/** Writes the page of a case: its standing and its history at each place. */
export function casePage(atPlaces: readonly CaseAtPlace[]): PageParts {
  const [{ ofCase, history }] = atPlaces as [CaseAtPlace];
  const { id, title, path } = ofCase.case;
  const facts = ofOneCase(history.standing, id);
  const sentences = foundLines(facts);
  const changes = mainChanges(facts);
  const columns = columnsOf(facts);
  const cells = columns.flatMap((column) =>
    ofColumn(column, changes).map((change) => `${column.spoken} ${cell(change)}`),
  );
  const answer = cells.length === 0 ? NOTHING_COMPARED : `${listed(cells)}, against ${baselineName(facts)}.`;
  const url = sourceOf(history.standing, ofCase);
  const command = commandOf(history.standing, { cases: [id], options: {} });
  const ways = [
    ...(url === null ? [] : [html`<a href="${url}">Source</a>`]),
    ...(command === null ? [] : [html`Measure it: ${commandCode(command)}`]),
  ];
  const lead = html`<p class="lead">${ways.map((way, index) => html`${index > 0 ? " · " : null}${way}`)}</p>`;
  const marks = footnote(changes);
  const body = html`<header><p class="place">${path === null ? html`<code>${id}</code>` : "Path"}</p><h1>${title}</h1>
<p class="answer">${unbroken(answer)}</p>${ways.length === 0 ? null : lead}</header>
<main>${atPlaces.map((each, index) => placeSection(each.history, index, historyCharts(each)))}
<p class="key">${LEGEND}.${marks === "" ? "" : ` ${marks}.`}</p></main>`;
  return { title: `${title}: ${answer}`, description: sentences.join(" "), body };
}

/** Leaves the other cases of facts out. */
function ofOneCase(facts: Facts, id: string): Facts {
  return {
    ...facts,
    cases: facts.cases.filter((each) => each.id === id),
    levels: facts.levels.filter((level) => level.case === id),
    changes: facts.changes.filter((change) => change.case === id),
  };
}

/** Gives the address of a case's source at the run's commit; null where that is not known. */
function sourceOf({ run }: Facts, { case: { source } }: CaseHistory): string | null {
  const isKnown = source !== null && run.repository !== null && run.commit !== null;
  return isKnown ? `${run.repository}/blob/${run.commit}/${source}` : null;
}

/** Writes the history of a case at one place: figures and numbers. */
function historyCharts({ ofCase, history }: CaseAtPlace): Markup {
  const against = baselineName(ofOneCase(history.standing, ofCase.case.id));
  return html`<h3>History</h3>
<p class="legend">${ofCase.time.map(({ target }) => html`${colourMark(target.spoken, target.colour)} `)}</p>
${historyFigures(ofCase, history, against)}
<details class="numbers"><summary>Numbers of ${counted(history.runs.length, "run")}</summary>${numbersTable(ofCase, history)}</details>`;
}

function numbersTable(ofCase: CaseHistory, { runs, place }: History): Markup {
  const columns = [
    ...ofCase.time.map((found) => ({ found, title: `${found.target.spoken}, time` })),
    ...ofCase.cpuTime.map((found) => ({ found, title: `${found.target.spoken}, CPU time` })),
  ];
  const rows = runs.map((run, at): readonly TableCell[] => [
    reportCell(run, "../"),
    ...columns.map(({ found }) => numberWords(found, at)),
  ]);
  const head = ["Run", ...columns.map(({ title }) => title)];
  return htmlTable(`Numbers of ${ofCase.case.title}, ${place}`, { head, rows: rows.toReversed() });
}

/** Writes what a run found of a target: its change, or its own time where it has none. */
function numberWords({ points }: TargetHistory, at: number): string {
  const point = points.find(({ index }) => index === at);
  if (point === undefined) {
    return "–";
  }
  return point.change === null ? formatMs(point.level.value) : cell(point.change);
}
