import { CARD_FILE } from "../card-file.ts";
import type { ReportData } from "../data.ts";
import { counted } from "../format.ts";
import { placeOf, whatRan } from "../machine-words.ts";
import { ANSWER_STYLE } from "./answer-style.ts";
import { caseSection } from "./case-section.ts";
import { contents } from "./contents.ts";
import { CONTENTS_STYLE } from "./contents-style.ts";
import { htmlDocument } from "./document.ts";
import { factsSection, repeatSection } from "./facts.ts";
import { html, type Markup } from "./markup.ts";
import { methodSection } from "./method.ts";
import { notices } from "./notices.ts";
import { overview } from "./overview.ts";
import { PAGE_SCRIPT, TABLE_SCRIPT } from "./script.ts";
import { VANTAGE_STYLE } from "./vantage-section.ts";
import { verdictTable } from "./verdict-table.ts";

/** The report as one HTML file that needs nothing else. The same data gives the same bytes. */
export function renderHtml(data: ReportData): string {
  const { run, summary } = data;
  const ofVantages = run.vantages === undefined ? "" : VANTAGE_STYLE;
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, "case")}</h1>
<p class="place">${placeOf(run)}.<br>${whatRan(run)}</p></header>
${contents(data)}
<main id="content">
${overview(data)}
${notices(data.warnings)}
${verdictTable(data)}
<div class="details">
<h2 id="cases">Case by case</h2>
<p class="key">${summary.control}</p>
${data.cases.map((report) => caseSection(report, data))}
<details class="more"><summary>Settings, builds, plan and machine</summary>${factsSection(data)}</details></div>
${repeatSection(data)}
<details class="more"><summary>How to read this</summary>${methodSection(run)}</details>
</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing. Printed, it has the summary, the table and the method. <button type="button" class="print-whole" hidden>Print every case</button></footer>`;
  return htmlDocument(`Evenbench ${run.id}`, body, ANSWER_STYLE + CONTENTS_STYLE + ofVantages, {
    head: linkPreview(data),
    script: TABLE_SCRIPT + PAGE_SCRIPT,
  });
}

/** What chats and feeds show of a link to the page: the answer, and the picture that lies beside it. */
function linkPreview({ run, summary }: ReportData): Markup {
  const title = summary.sentences[0] ?? `Evenbench, ${counted(run.plan.cases.length, "case")}`;
  return html`
<meta property="og:type" content="article">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${summary.answer ?? summary.compared} ${placeOf(run)}, ${run.startedAt.slice(0, 10)}.">
<meta property="og:image" content="${CARD_FILE}">
<meta name="twitter:card" content="summary_large_image">`;
}
