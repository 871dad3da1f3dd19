import {
  colourMark,
  counted,
  drawMark,
  drawn,
  effectWords,
  explanations,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  listed,
  MARKS,
  type Markup,
  markWords,
  noticeList,
  PAGE_SCRIPT,
  type Scale,
  scaleAxis,
  scaleOf,
  seriesClass,
  TABLE_SCRIPT,
  term,
  unbroken,
} from "@evenbench/page";
import { type Comparison, isDifference, isJudged, VERDICTS } from "@evenbench/stats";
import { summarise, timeLine } from "../answer.ts";
import { isCompared } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { baselinesOf, CARD_FILE, type Column, columnsOf, placeOf, REPORT_FILE, whatRan } from "../names.ts";
import { caseWord, isOfOwnServers } from "../notices.ts";
import { ownerTables } from "../owner.ts";
import { shortCommand } from "../repeat.ts";
import { caseSection } from "./case-section.ts";
import css from "./report.css";
import { factsSection, methodSection, repeatSection } from "./settings.ts";
import { tableKey, verdictSection } from "./verdict-section.ts";

const LINE_HEIGHT = 22;

/**
 * @param folderUrl where the report's folder is published, with a slash at its end: previews of links need
 * it. Null: nowhere.
 */
export function renderHtml(data: ReportData, folderUrl: string | null = null): string {
  const { run, summary } = data;
  const facts = [`${placeOf(run)}.`, whatRan(run), timeLine(data)].filter(Boolean);
  const word = caseWord(run.plan);
  const views = viewsOf(data);
  const ofEach = (draw: (view: View) => Markup) =>
    views.map((view) => html`<div data-view="${view.key}"${view.key && html` hidden`}>${draw(view)}</div>`);
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, word)}</h1>
<p class="place">${facts.map((fact) => html`${fact}<br>`)}Repeat: <code>${shortCommand(run)}</code></p></header>
<main id="content">
${ofEach(overview)}
${choiceOf(views)}
${noticeList(data.warnings)}
${ofEach((view) => verdictSection(view.data))}
${tableKey(data)}
${ownerSection(data)}
<div class="details">
<h2 id="cases">${word === "case" ? "Case by case" : "Path by path"} <button type="button" class="fold" hidden>Open all cases</button></h2>
<p class="key">${summary.control}</p>
${data.cases.map((report) => caseSection(report, data))}
<details class="more"><summary>Settings, builds, plan and machine</summary>${factsSection(data)}</details></div>
${repeatSection(data)}
<details class="more"><summary>How to read this</summary>${methodSection(run.source, data.method)}</details>
</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing. Printed, it has the summary, the table, and the cases that are open.</footer>${explanations()}`;
  return htmlDocument(`Evenbench ${run.id}`, body, css, {
    head: linkPreview({
      kind: "article",
      title: summary.sentences[0] ?? "Evenbench",
      description: `${summary.sentences.join(" ")} ${placeOf(run)}, ${run.startedAt.slice(0, 10)}.`,
      image: `${folderUrl ?? ""}${CARD_FILE}`,
      ...(folderUrl !== null && { url: folderUrl + REPORT_FILE }),
    }),
    script: TABLE_SCRIPT + PAGE_SCRIPT,
  });
}

/** Writes the section of what the owner of an app asks beside times; null where no such app was measured. */
function ownerSection(data: ReportData): Markup | null {
  const tables = ownerTables(data);
  if (tables.length === 0) {
    return null;
  }
  return html`<h2 id="owner">What it costs, and how large it is</h2>${tables.map(
    ({ title, table, note }) =>
      html`${htmlTable(title, table)}${note === "" ? null : html`<p class="key">${note}</p>`}`,
  )}`;
}

/** A view of the page: a run against one baseline. */
interface View {
  /** Stands in the URL; empty for the baselines that were measured. */
  readonly key: string;
  /** Name of the baseline, as it stands in sentences. */
  readonly baseline: string;
  readonly data: ReportData;
}

/** The view with the baselines that were measured, then one with each other platform in their place. */
function viewsOf(data: ReportData): readonly View[] {
  const { targets, cases, summary, method } = data;
  const compared = cases.filter(isCompared);
  const others = method === null ? columnsOf(targets, compared) : [];
  return [
    { key: "", baseline: baselinesOf(targets, compared), data },
    ...others.map(({ name, spoken, comparisonIn }) => {
      const cases = compared.flatMap((report) => {
        const by = comparisonIn(report)?.target;
        return report.against.flatMap((other) => (other.baseline === by ? [{ ...report, ...other }] : []));
      });
      const answered = summarise(targets, cases, summary.unproven);
      return { key: name, baseline: spoken, data: { ...data, cases, summary: answered } };
    }),
  ];
}

function overview(view: View): Markup {
  const { summary, cases, method } = view.data;
  const hasChart = method === null && cases.some(isCompared);
  return html`<p class="answer">${unbroken(summary.sentences.join(" "))}</p>
${view.key === "" ? null : html`<p class="key">From the same rounds; no own A/A control.</p>`}
${hasChart ? chart(view) : null}`;
}

/** Writes the links that choose a baseline, which the page's script shows; null where there is one view. */
function choiceOf(views: readonly View[]): Markup | null {
  if (views.length < 2) {
    return null;
  }
  return html`<nav class="against" aria-label="Compare with">Compare with ${views.map(
    ({ key, baseline }) => html`<a href="#baseline=${key}" data-against="${key}">${baseline}</a> `,
  )}</nav>`;
}

function chart({ baseline, data }: View): Markup {
  const cases = data.cases.filter(isCompared);
  const columns = columnsOf(data.targets, cases);
  const compared = cases.flatMap(({ headline }) => headline?.comparisons ?? []);
  const scale = scaleOf(compared.filter(({ verdict }) => isJudged(verdict)));
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

function row(report: CaseReport, columns: readonly Column[], scale: Scale): Markup {
  const { manifest } = report;
  const lines = columns.map((column) => ({ ...column, comparison: column.comparisonIn(report) }));
  const height = lines.length * LINE_HEIGHT;
  const spokenMarks = lines.flatMap(({ spoken, comparison }) =>
    comparison === null ? [] : [`${spoken} ${comparison.verdict}, ${effectOf(comparison)}`],
  );
  const marks = lines.map(({ comparison, colour }, line) =>
    comparison === null
      ? null
      : html`<g class="${seriesClass(colour)}">${drawMark(comparison, (ratio) => `${scale.position(ratio)}%`, (line + 0.5) * LINE_HEIGHT)}</g>`,
  );
  const drawing = drawn(scale, { zero: 1, height, label: `${manifest.id}: ${listed(spokenMarks)}.` }, marks);
  return html`<tr role="row"><th role="rowheader" scope="row" class="work"><a href="#case-${manifest.id}">${manifest.id}${manifest.notSameCode === null ? null : " *"}</a><small>${manifest.title}</small></th><td role="cell">${drawing}</td><td role="cell" class="values">${lines.map(({ comparison, colour }) => value(comparison, colour))}</td></tr>
`;
}

function value(comparison: Comparison | null, colour: number): Markup {
  if (comparison === null) {
    return html`<span class="value">–</span>`;
  }
  const { verdict } = comparison;
  const isDecided = isDifference(verdict) || verdict === "same";
  return html`<span class="value ${seriesClass(colour)}${isDecided ? " decided" : ""}"><span class="sign" aria-hidden="true">${MARKS[verdict].sign}</span> <span class="visually-hidden">${verdict}: </span>${effectOf(comparison)}</span>`;
}

function effectOf(comparison: Comparison): string {
  return effectWords(comparison).replace(/ time$/, "");
}
