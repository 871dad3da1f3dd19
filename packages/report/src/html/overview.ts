import { type Comparison, VERDICTS } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { listed, percentRange, unbroken } from "../format.ts";
import { drawMark, MARKS, markWords } from "../marks.ts";
import { platformNames, spokenNames } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { type View, viewsOf } from "../rows.ts";
import { html, type Markup } from "./markup.ts";
import { colourMark } from "./pieces.ts";
import { seriesClass } from "./plot.ts";
import { type RatioScale, scaleAxis, timeScale } from "./scale.ts";
import { term } from "./term.ts";

const LINE_HEIGHT = 22;

interface Drawing {
  readonly scale: RatioScale;
  /** Names, in the order of every row, so that a platform always stands at the same height. */
  readonly platforms: readonly { readonly name: string; readonly spoken: string; readonly colour: number }[];
  readonly names: ReadonlyMap<string, string>;
}

export function overview(data: ReportData): Markup {
  const { answer, compared } = data.summary;
  const views = data.run.vantages === undefined ? viewsOf(data) : [];
  if (views.length === 0) return html`<p class="answer">${unbroken(answer ?? compared)}</p>`;
  const choice = html`<nav class="against" aria-label="Compare with">Compare with ${views.map(
    ({ key, name }) => html`<a href="#baseline=${key}" data-against="${key}">${name}</a> `,
  )}</nav>`;
  return html`${views.map(
    (view) => html`<div class="view" data-view="${view.key}"${view.key === "" ? null : html` hidden`}>
<p class="answer">${unbroken(view.key === "" ? (answer ?? compared) : view.sentences.join(" "))}</p>
${view.key === "" ? null : html`<p class="key">From the same rounds; no own A/A control.</p>`}
${chart(view, data)}</div>`,
  )}${views.length > 1 ? choice : null}`;
}

function chart({ key, name, cases }: View, data: ReportData): Markup {
  const names = platformNames(data.targets);
  const spoken = spokenNames(data.targets);
  const own = new Set(cases.flatMap(({ headline }) => headline?.comparisons.map(({ target }) => target)));
  const shown = data.targets.filter((one) => own.has(one.name));
  const platforms = [...Map.groupBy(shown, (one) => names.get(one.name) ?? one.name)].map(
    ([platform, [first]]) => ({
      name: platform,
      spoken: spoken.get(first?.name ?? "") ?? platform,
      colour: first?.colour ?? 0,
    }),
  );
  const drawing = { scale: timeScale(cases), platforms, names };
  const notSame = cases.some(({ manifest }) => manifest.notSameCode !== null);
  return html`<div class="overview"><p class="key legend">${platforms.map((one) => html`${colourMark(one.spoken, one.colour)} `)}</p>
<table role="table" aria-label="Time of each case against ${name}">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="work">${isOfOwnServers(data.run.plan) ? "Path" : key === "" ? term("Case", "overview", "kind of work") : "Case"}</th><th role="columnheader" scope="col"><span class="sides"><span>← less</span><span>more →</span></span>${scaleAxis(drawing.scale)}</th><th role="columnheader" scope="col" class="values">Against ${name}</th></tr></thead>
<tbody role="rowgroup">${cases.map((report) => row(report, drawing))}</tbody></table>
<p class="key">${keyWords(key === "")}${notSame ? " * Not the same code on all platforms." : ""}</p></div>`;
}

function keyWords(isFirst: boolean): Markup {
  const signs = VERDICTS.map(
    (verdict) => html`<span title="${MARKS[verdict].says}">${unbroken(markWords(verdict))}</span> · `,
  );
  return isFirst
    ? html`${signs}bar: ${term("99 % interval", "overview", "interval", "verdict", "baseline", "A/A control")}.`
    : html`${signs}`;
}

function row(report: CaseReport, drawing: Drawing): Markup {
  const { manifest, headline } = report;
  const own = drawing.platforms.map(({ name, spoken, colour }) => ({
    spoken,
    colour,
    comparison:
      headline?.comparisons.find(({ target }) => (drawing.names.get(target) ?? target) === name) ?? null,
  }));
  const height = own.length * LINE_HEIGHT;
  const { scale } = drawing;
  const said = own.flatMap(({ spoken, comparison }) =>
    comparison === null ? [] : [`${spoken} ${comparison.verdict}, ${effectWords(comparison)}`],
  );
  const grid = scale.ticks.map(
    (tick) =>
      html`<line${tick === 1 ? html` class="one"` : null} x1="${scale.position(tick)}%" x2="${scale.position(tick)}%" y2="${height}"/>`,
  );
  return html`<tr role="row"><th role="rowheader" scope="row" class="work"><a href="#case-${manifest.id}">${manifest.id}${manifest.notSameCode === null ? null : " *"}</a><small>${manifest.title}</small></th><td role="cell"><svg class="interval" role="img" height="${height}"><title>${manifest.id}: ${listed(said)}.</title><g class="grid">${grid}</g>${own.map(({ comparison, colour }, line) => (comparison === null ? null : html`<g class="${seriesClass(colour)}">${drawMark(comparison, (ratio) => `${scale.position(ratio)}%`, (line + 0.5) * LINE_HEIGHT)}</g>`))}</svg></td><td role="cell" class="values">${own.map(({ comparison, colour }) => value(comparison, colour))}</td></tr>
`;
}

function value(comparison: Comparison | null, colour: number): Markup {
  if (comparison === null) return html`<span class="value">–</span>`;
  const { verdict } = comparison;
  const isDecided = verdict !== "inconclusive" && verdict !== "not warm";
  return html`<span class="value ${seriesClass(colour)}${isDecided ? " decided" : ""}"><span class="sign" aria-hidden="true">${MARKS[verdict].sign}</span> <span class="visually-hidden">${verdict}: </span>${effectWords(comparison)}</span>`;
}

function effectWords({ verdict, ratio }: Comparison): string {
  if (verdict === "not warm") return "not warm";
  return ratio === null ? "too few trials" : percentRange(ratio).replace(/ time$/, "");
}
