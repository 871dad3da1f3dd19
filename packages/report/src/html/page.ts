import { timeLine } from "../answer.ts";
import type { ReportData } from "../data.ts";
import { counted } from "../format.ts";
import { CARD_FILE, placeOf, whatRan } from "../names.ts";
import { caseWord } from "../notices.ts";
import { shortCommand } from "../repeat.ts";
import { caseSection } from "./case-section.ts";
import { htmlDocument, linkPreview } from "./document.ts";
import { factsSection, methodSection, repeatSection } from "./facts.ts";
import { html, type Markup } from "./markup.ts";
import { choiceOf, overview, type View, viewsOf } from "./overview.ts";
import { noticeList } from "./pieces.ts";
import { PAGE_SCRIPT, TABLE_SCRIPT } from "./script.ts";
import { ANSWER_STYLE } from "./style.ts";
import { explanations } from "./term.ts";
import { tableKey, verdictSection } from "./verdict-table.ts";

export function renderHtml(data: ReportData): string {
  const { run, summary } = data;
  const facts = [`${placeOf(run)}.`, whatRan(run), timeLine(data)].filter(Boolean);
  const word = caseWord(run.plan);
  const views = viewsOf(data);
  const ofEach = (of: (view: View) => Markup) =>
    views.map(
      (one) => html`<div data-view="${one.key}"${one.key === "" ? null : html` hidden`}>${of(one)}</div>`,
    );
  const body = html`<a class="skip" href="#content">To the results</a>
<header><h1><strong>Evenbench</strong> · ${run.startedAt.slice(0, 16).replace("T", " ")} UTC · ${counted(run.plan.cases.length, word)}</h1>
<p class="place">${facts.map((fact) => html`${fact}<br>`)}Repeat: <code>${shortCommand(run)}</code></p></header>
<main id="content">
${ofEach(overview)}
${choiceOf(views)}
${noticeList(data.warnings)}
${ofEach((view) => verdictSection(view.data))}
${tableKey(data)}
<div class="details">
<h2 id="cases">${word === "case" ? "Case by case" : "Path by path"} <button type="button" class="fold" hidden>Open all cases</button></h2>
<p class="key">${summary.control}</p>
${data.cases.map((report) => caseSection(report, data))}
<details class="more"><summary>Settings, builds, plan and machine</summary>${factsSection(data)}</details></div>
${repeatSection(data)}
<details class="more"><summary>How to read this</summary>${methodSection(run)}</details>
</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing. Printed, it has the summary, the table, and the cases that are open.</footer>${explanations()}`;
  return htmlDocument(`Evenbench ${run.id}`, body, ANSWER_STYLE, {
    head: linkPreview({
      kind: "article",
      title: summary.sentences[0] ?? "Evenbench",
      description: `${summary.sentences.join(" ")} ${placeOf(run)}, ${run.startedAt.slice(0, 10)}.`,
      image: CARD_FILE,
    }),
    script: TABLE_SCRIPT + PAGE_SCRIPT,
  });
}
