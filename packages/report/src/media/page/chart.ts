// Draws one picture of the page: a row for each case, a column for each platform, all on one scale.
import { drawInterval, html, type Markup, type Scale, scaleAxis, scaleOf } from "@evenbench/page";
import type { CaseFacts, Change, Facts } from "../../facts/facts.ts";
import { type Column, caseNoun, caseTitle, ofColumn } from "../../words/columns.ts";
import { verdictWord } from "../../words/counts.ts";
import { footnote } from "../../words/mark.ts";
import { isTime, METRICS } from "../../words/metrics.ts";
import { cell, LEGEND, SAME_BOUND, SAME_RATIOS } from "../../words/notation.ts";
import { levelCell } from "../target-tables.ts";
import type { Picture } from "./pictures.ts";

/** Largest number of columns that have room beside one another. */
const MOST_BESIDE = 2;

/** Draws a picture with its legend and its footnote. */
export function chart(facts: Facts, picture: Picture): Markup {
  const { metric, against, columns, changes } = picture;
  const scale = scaleOf(changes, unitOf(picture));
  const cases = facts.cases.filter(({ id }) => changes.some((change) => change.case === id));
  const layout = columns.length > MOST_BESIDE ? " stacked" : "";
  const label = `${METRICS[metric].title}, against ${against.spoken}`;
  const band =
    unitOf(picture) === "ratio" ? `  grey band: same, within ${100 * SAME_BOUND} % (line: 90 %)` : "";
  const notes = [LEGEND + band, footnote(changes)].filter(Boolean);
  return html`<div data-metric="${metric}" data-against="${against.index}">
<div class="chart${layout} of-${columns.length}" role="table" aria-label="${label}">
${head(facts, picture, scale)}
${cases.map((each) => row(facts, picture, each, scale))}</div>
${notes.map((note) => html`<p class="key legend-line">${note}</p>`)}</div>
`;
}

function unitOf({ changes }: Picture): Change["unit"] {
  return changes.some(({ unit }) => unit === "ms") ? "ms" : "ratio";
}

/** Identifies the lines of a picture's scale, which are drawn once and used in each row. */
function gridId({ metric, against }: Picture): string {
  return `grid-${metric}-${against.index}`;
}

/** Draws the first row: names, and the scale above each column. */
function head(facts: Facts, picture: Picture, scale: Scale): Markup {
  const { metric, against, columns } = picture;
  const [less, more] = isTime(metric) ? ["← less time", "more time →"] : ["← less", "more →"];
  const axisWithSides = html`<div aria-hidden="true" class="scale">${scaleAxis(scale, unitOf(picture))}<div class="sides"><span>${less}</span><span>${more}</span></div></div>`;
  const headOf = (column: Column, index: number) =>
    html`<div role="columnheader" class="cell"><div class="name">${column.spoken}</div>${axisWithSides}${index === 0 ? grid(gridId(picture), scale) : null}</div>`;
  return html`<div class="row head" role="row"><div role="columnheader">${METRICS[metric].title}<span class="visually-hidden"> of each ${caseNoun(facts)}</span></div><div role="columnheader" class="base">${against.spoken}</div>${columns.map(headOf)}</div>`;
}

function grid(id: string, { position, ticks, zero }: Scale): Markup {
  const line = (tick: number) =>
    html`<line class="${tick === zero ? "zero" : "tick"}" x1="${position(tick)}%" x2="${position(tick)}%" y2="100%"/>`;
  return html`<svg class="defs" aria-hidden="true"><defs><g id="${id}">${ticks.map(line)}</g></defs></svg>`;
}

function row(facts: Facts, picture: Picture, each: CaseFacts, scale: Scale): Markup {
  const { metric, columns, changes } = picture;
  const own = changes.filter((change) => change.case === each.id);
  const baselines = new Set(own.map(({ baseline }) => baseline));
  const [only] = baselines;
  const base = baselines.size === 1 && only !== undefined ? levelCell(facts, each.id, only, metric) : "–";
  const cells = columns.map((column) => {
    const [change] = ofColumn(column, own);
    return change === undefined
      ? html`<div role="cell" class="cell"><span></span><span class="who">${column.spoken}</span><span class="value">–</span></div>`
      : drawnCell(change, column.spoken, gridId(picture), scale);
  });
  return html`<div class="row" role="row"><div role="rowheader" class="work"><a href="#case-${each.id}">${caseTitle(each)}</a></div><div role="cell" class="base">${base}</div>${cells}</div>
`;
}

function drawnCell(change: Change, who: string, grid: string, scale: Scale): Markup {
  const at = (value: number) => `${scale.position(value)}%`;
  const [from, to] = bandOf(change).map(scale.position);
  const band =
    from === undefined || to === undefined
      ? null
      : html`<rect class="band" x="${from}%" width="${Math.round(100 * (to - from)) / 100}%" height="100%"/>`;
  const mark = drawInterval(change, at, "50%");
  const label =
    mark === null
      ? html`aria-hidden="true"`
      : html`role="img" aria-label="${verdictWord(change.verdict, change.metric)}"`;
  return html`<div role="cell" class="cell ${change.verdict}"><svg ${label}>${band}<use href="#${grid}"/>${mark}</svg><span class="who">${who}</span><span class="value">${cell(change)}</span></div>`;
}

/** Gives the ends of what is called the same; empty where that is not known. */
function bandOf({ unit, boundMs }: Change): readonly number[] {
  if (unit === "ratio") {
    return SAME_RATIOS;
  }
  return boundMs === null ? [] : [-boundMs, boundMs];
}
