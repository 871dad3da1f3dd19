import type { ReportData } from "../data.ts";
import { counted } from "../format.ts";
import { caseSection } from "./case-section.ts";
import { htmlDocument } from "./document.ts";
import { factsSection } from "./facts.ts";
import { html, Markup } from "./markup.ts";
import { methodSection } from "./method.ts";
import { ratioScale } from "./scale.ts";
import { SORT_SCRIPT } from "./script.ts";
import { targetMark, verdictTable } from "./verdict-table.ts";
import { warningList } from "./warnings.ts";

/** The report as one HTML file that needs nothing else. The same data gives the same bytes. */
export function renderHtml(data: ReportData): string {
  const { run, summary } = data;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, "case")}</h1>
<p class="answer">${summary.compared}</p>
${findings(data)}
<p class="control">${summary.control}</p></header>
<main id="content">
${warningList(data.warnings)}
${verdictTable(data, ratioScale(data.cases))}
<h2 id="cases">Case by case</h2>
${data.cases.map((report) => caseSection(report, data))}
${factsSection(data)}
${methodSection()}
</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing.</footer>
<script>${new Markup(SORT_SCRIPT)}</script>`;
  return htmlDocument(`Evenbench ${run.id}`, body);
}

function findings(data: ReportData): Markup | null {
  if (data.summary.findings.length === 0) return null;
  return html`<ul class="findings">${data.summary.findings.map(
    ({ target, sentence }) => html`<li>${targetMark(target, data)} ${sentence}</li>`,
  )}</ul>`;
}
