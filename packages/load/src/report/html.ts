import {
  colourMark,
  counted,
  type Definitions,
  definitionList,
  formatDuration,
  html,
  htmlDocument,
  htmlTable,
  type Markup,
  machineEntries,
  noticeList,
} from "@evenbench/report/parts";
import { formatCondition } from "../plan/condition.ts";
import type { CaseLoadReport, LoadData } from "./data.ts";
import { loadFigures } from "./figures.ts";
import { describeClient, describeSubject } from "./format.ts";
import { findingsOf, loadTable } from "./rows.ts";

const METHOD = {
  sweep:
    "Every load was put on every target in random order, in several trials. At a concurrency, each connection sends its next request when its last one is answered; at a rate, requests are sent when they are due, and latency counts from then.",
  capacity:
    "For each target the highest rate of arrivals was searched at which the condition held, in several trials. Requests were sent when they were due, and latency counts from then.",
} as const;

export function renderLoadHtml(data: LoadData): string {
  const { run } = data;
  const { condition } = run.plan;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · load · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, "case")}</h1>
<p class="answer">${condition === null ? "How targets answer as more is asked of them at a time." : `How much can be asked of targets while ${formatCondition(condition)} holds.`}</p>
<p class="control">${METHOD[condition === null ? "sweep" : "capacity"]}${run.plan.engine === null ? "" : ` They were sent by ${describeClient(run)}.`}</p></header>
<main id="content">
${noticeList(data.warnings)}
<h2 id="cases">Case by case</h2>
${data.cases.map((report) => caseSection(report, data))}
${machineSection(data)}
</main>
<footer>Run ${run.id}, seed ${run.plan.seed}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>`;
  return htmlDocument(`Evenbench load ${run.id}`, body);
}

function caseSection(report: CaseLoadReport, { run }: LoadData): Markup {
  const { id, title } = report.manifest;
  const findings = findingsOf(report, run.plan.condition);
  return html`<section class="case" aria-labelledby="case-${id}"><h3 id="case-${id}">${title}<code>${id}</code></h3>
<ul class="findings">${findings.map(({ subject, colour, sentence }) => html`<li>${colourMark(subject, colour)} ${sentence}</li>`)}</ul>
<p class="legend">${report.subjects.map(({ subject, colour }) => html`${colourMark(subject.name, colour)} <small>${describeSubject(subject)}</small> `)}</p>
${loadFigures(report)}
${table(report)}</section>
`;
}

function table(report: CaseLoadReport): Markup {
  const { rows, head, cellsOf, key } = loadTable(report);
  if (rows.length === 0) return html`<p>Nothing was measured.</p>`;
  const { id } = report.manifest;
  const table = {
    head: ["target", ...head],
    rows: rows.map((row) => [
      { text: row.subject, html: colourMark(row.subject, row.colour) },
      ...cellsOf(row),
    ]),
  };
  return html`${htmlTable(`All numbers of ${id}`, table)}
<p class="key">${key}</p>`;
}

function machineSection({ run }: LoadData): Markup {
  const { machine, plan } = run;
  const entries: Definitions = [
    ["Trials", String(plan.trials)],
    [
      "Length of a stage",
      `${formatDuration(plan.stageMs)}, longer at a concurrency above 8; its first quarter is not measured`,
    ],
    ...(machine === null ? [] : machineEntries(machine)),
    ["Client", describeClient(run)],
    ["Allowed to differ", plan.allowedPins.join(", ") || "nothing"],
    ["Started", run.startedAt],
    ["Finished", run.finishedAt ?? "–"],
  ];
  return html`<section aria-labelledby="machine"><h2 id="machine">Plan and machine</h2>${definitionList(entries)}</section>`;
}
