import { type Comparison, isDifference, VERDICTS } from "@evenbench/stats";
import { answersOf } from "../answer.ts";
import { isCompared } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { listed, unbroken } from "../format.ts";
import { drawMark, effectWords, MARKS, markWords } from "../marks.ts";
import { baselinesOf, type Column, columnsOf } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { html, type Markup } from "./markup.ts";
import { colourMark } from "./pieces.ts";
import { seriesClass } from "./plot.ts";
import { drawn, type RatioScale, scaleAxis, scaleOf } from "./scale.ts";
import { term } from "./term.ts";

const LINE_HEIGHT = 22;

export type View = ReturnType<typeof viewsOf>[number];

/** What was measured first, then the same with each other platform as what the rest is compared with. */
export function viewsOf(data: ReportData) {
  const { run, targets, cases, summary } = data;
  const compared = cases.filter(isCompared);
  const others = run.vantages === undefined ? columnsOf(targets, compared) : [];
  return [
    /** The key is in the URL; it is empty for the baselines that were measured. */
    { key: "", baseline: baselinesOf(targets, compared), data },
    ...others.map(({ name, spoken, comparisonIn }) => {
      const own = compared.flatMap((report) => {
        const by = comparisonIn(report)?.target;
        return report.against.flatMap((one) => (one.baseline === by ? [{ ...report, ...one }] : []));
      });
      const sentences = answersOf(targets, own);
      const told = { ...summary, answer: sentences.join(" "), sentences };
      return { key: name, baseline: spoken, data: { ...data, cases: own, summary: told } };
    }),
  ];
}

export function overview(view: View): Markup {
  const { run, summary, cases } = view.data;
  const hasChart = run.vantages === undefined && cases.some(isCompared);
  return html`<p class="answer">${unbroken(summary.sentences.join(" "))}</p>
${view.key === "" ? null : html`<p class="key">From the same rounds; no own A/A control.</p>`}
${hasChart ? chart(view) : null}`;
}

/** What the page's script shows in place of what was measured. */
export function choiceOf(views: readonly View[]): Markup | null {
  if (views.length < 2) return null;
  return html`<nav class="against" aria-label="Compare with">Compare with ${views.map(
    ({ key, baseline }) => html`<a href="#baseline=${key}" data-against="${key}">${baseline}</a> `,
  )}</nav>`;
}

function chart({ baseline, data }: View): Markup {
  const cases = data.cases.filter(isCompared);
  const columns = columnsOf(data.targets, cases);
  const compared = cases.flatMap(({ headline }) => headline?.comparisons ?? []);
  const scale = scaleOf(compared.filter(({ verdict }) => verdict !== "not warm"));
  const signs = VERDICTS.map(
    (verdict) => html`<span title="${MARKS[verdict].says}">${unbroken(markWords(verdict))}</span> · `,
  );
  const notSame = cases.some(({ manifest }) => manifest.notSameCode !== null);
  return html`<div class="overview"><p class="key legend">${columns.map(({ spoken, colour }) => html`${colourMark(spoken, colour)} `)}</p>
<table role="table" aria-label="Time of each case against ${baseline}">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="work">${isOfOwnServers(data.run.plan) ? "Path" : term("Case", "case")}</th><th role="columnheader" scope="col"><span class="sides"><span>← less</span><span>more →</span></span>${scaleAxis(scale)}</th><th role="columnheader" scope="col" class="values">Against ${baseline}</th></tr></thead>
<tbody role="rowgroup">${cases.map((report) => row(report, columns, scale))}</tbody></table>
<p class="key">${signs}bar: ${term("99 % interval", "interval")}.${notSame ? " * Not the same code on all platforms." : ""}</p></div>`;
}

function row(report: CaseReport, columns: readonly Column[], scale: RatioScale): Markup {
  const { manifest } = report;
  const own = columns.map((column) => ({ ...column, comparison: column.comparisonIn(report) }));
  const height = own.length * LINE_HEIGHT;
  const said = own.flatMap(({ spoken, comparison }) =>
    comparison === null ? [] : [`${spoken} ${comparison.verdict}, ${effectOf(comparison)}`],
  );
  const marks = own.map(({ comparison, colour }, line) =>
    comparison === null
      ? null
      : html`<g class="${seriesClass(colour)}">${drawMark(comparison, (ratio) => `${scale.position(ratio)}%`, (line + 0.5) * LINE_HEIGHT)}</g>`,
  );
  const drawing = drawn(scale, { zero: 1, height, label: `${manifest.id}: ${listed(said)}.` }, marks);
  return html`<tr role="row"><th role="rowheader" scope="row" class="work"><a href="#case-${manifest.id}">${manifest.id}${manifest.notSameCode === null ? null : " *"}</a><small>${manifest.title}</small></th><td role="cell">${drawing}</td><td role="cell" class="values">${own.map(({ comparison, colour }) => value(comparison, colour))}</td></tr>
`;
}

function value(comparison: Comparison | null, colour: number): Markup {
  if (comparison === null) return html`<span class="value">–</span>`;
  const { verdict } = comparison;
  const isDecided = isDifference(verdict) || verdict === "same";
  return html`<span class="value ${seriesClass(colour)}${isDecided ? " decided" : ""}"><span class="sign" aria-hidden="true">${MARKS[verdict].sign}</span> <span class="visually-hidden">${verdict}: </span>${effectOf(comparison)}</span>`;
}

function effectOf(comparison: Comparison): string {
  return effectWords(comparison).replace(/ time$/, "");
}
