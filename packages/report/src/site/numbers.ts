// The report and the picture of a run of which only the summary is left.
import {
  commandCode,
  formatChange,
  formatMs,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  type Markup,
  markWords,
  metricName,
  type TableCell,
} from "@evenbench/page";
import type { SummaryRow } from "@evenbench/results";
import { inReportOrder } from "../analyse-run.ts";
import { type CardCase, type CardContent, cardContentOf } from "../card/card.ts";
import { CARD_FILE, REPORT_FILE, spokenOf, whatRan } from "../names.ts";
import { shortCommand } from "../repeat.ts";
import type { SummarisedRun } from "../summarised.ts";
import { answerOfSummary, foundInSummary, NOTHING_COMPARED, verdictOfRow } from "../summary-answer.ts";

/** Makes the content of a run's picture from its summary alone. */
export function numbersCard({ run, summary }: SummarisedRun): CardContent {
  const cases = run.plan.cases.flatMap(({ id, title }): readonly CardCase[] => {
    const rows = summary.rows.filter(({ caseId, headline }) => headline && caseId === id);
    const comparisons = foundInSummary(summary).filter(({ caseId }) => caseId === id);
    const [first] = rows;
    if (first === undefined || comparisons.length === 0) {
      return [];
    }
    return [{ id, title, mark: "", baseline: first.baseline, headline: { comparisons } }];
  });
  const caveats = [summary.unproven, summary.failedChecks].filter((caveat) => caveat !== undefined);
  const answer = answerOfSummary({ run, summary }) ?? "";
  const found = caveats.reduce((text, caveat) => text.replace(caveat, ""), answer).trim();
  return cardContentOf(run, {
    targets: inReportOrder(run),
    cases,
    sentences: [...caveats, found || NOTHING_COMPARED],
  });
}

/** Writes rows as a table with a heading; null without rows. */
function summaryTable(caption: string, { run }: SummarisedRun, rows: readonly SummaryRow[]): Markup | null {
  if (rows.length === 0) {
    return null;
  }
  const targets = inReportOrder(run);
  const level = rows.every(({ metric }) => metric === "cpuMs") ? "Mean" : "Median";
  const head = ["Case", "Target", "Against", "Change (99 % interval)", "Verdict", level, "p95", "Trials"];
  const cells = rows.map((row): readonly TableCell[] => {
    const verdict = verdictOfRow(row);
    return [
      row.caseId,
      spokenOf(targets, row.target),
      spokenOf(targets, row.baseline),
      verdict === null || row.ratio === null ? "–" : formatChange(row.ratio),
      verdict === null ? "–" : markWords(verdict),
      formatMs(row.medianMs),
      formatMs(row.p95Ms),
      String(row.trials),
    ];
  });
  return html`<h2>${caption}</h2>${htmlTable(caption, { head, rows: cells })}`;
}

/**
 * Writes the page of a run of which only the summary is left.
 *
 * @param folderUrl address of the published folder, with a slash at its end; null: it is not published.
 */
export function renderNumbers(record: SummarisedRun, folderUrl: string | null): string {
  const { run, summary } = record;
  const answer = answerOfSummary(record) ?? NOTHING_COMPARED;
  const headlines = summary.rows.filter(({ headline }) => headline);
  const cpuTimes = summary.rows.filter(({ metric, headline }) => metric === "cpuMs" && !headline);
  const metrics = [...new Set(headlines.map(({ metric }) => metricName(metric)))].join(", ");
  const notices =
    summary.notices.length === 0
      ? null
      : html`<h2>Notices</h2><ul>${summary.notices.map((title) => html`<li>${title}</li>`)}</ul>`;
  const body = html`<header><p class="place"><a href="../../index.html">All runs</a> · <strong>Evenbench</strong> · ${summary.place} · ${run.startedAt.slice(0, 10)}</p><h1>${answer}</h1>
<p class="place">${whatRan(run)}<br>Repeat: ${commandCode(shortCommand(run))}</p></header>
<main>${notices}${summaryTable(`Time: ${metrics}`, record, headlines)}${summaryTable("CPU time", record, cpuTimes)}</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. Made from the run's summary, since its samples are not at hand. This page is one file and loads nothing.</footer>`;
  const head = linkPreview({
    kind: "article",
    title: answer,
    description: `${answer} ${summary.place}, ${run.startedAt.slice(0, 10)}.`,
    ...(folderUrl !== null && { image: folderUrl + CARD_FILE }),
    ...(folderUrl !== null && { url: folderUrl + REPORT_FILE }),
  });
  return htmlDocument(answer, body, "", { head });
}
