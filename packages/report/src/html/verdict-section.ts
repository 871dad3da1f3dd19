import { html, htmlTable, type Markup, term } from "@evenbench/page";
import type { ReportData } from "../data.ts";
import { cpuCostOn } from "../prices.ts";
import { tableNote, verdictRows, verdictTable } from "../verdict-table.ts";

/** Writes the table of verdicts; a sentence where no request was measured. */
export function verdictSection(data: ReportData): Markup {
  const table = verdictTable(data);
  if (table.rows.length === 0) {
    return html`<p>No request was measured, so there is nothing to compare.</p>`;
  }
  return htmlTable("Verdict for each case and target", table, "verdicts");
}

/** Writes the key below the table of verdicts, with the words that explain themselves. */
export function tableKey(data: ReportData): Markup {
  const words = (["target", "trial", "baseline", "interval", "verdict", "A/A control"] as const).map(
    (word) => html`${term(word, word)}, `,
  );
  const isPriced = data.cases.some(({ cpu }) =>
    cpu.some((row) => cpuCostOn(row.target, row.msPerExchange, data)),
  );
  const price = isPriced ? " $/M: mean CPU time of a million requests, by the platform's price." : "";
  const slowest = verdictRows(data).some(({ summary }) => summary?.p95Ms != null)
    ? " p95, p99: 95 and 99 of 100 requests took at most as long; they are given from 100 and 500 requests on."
    : "";
  return html`<p class="key">${tableNote(data)}${slowest}${price} What the words mean: ${words}${term("CPU time", "CPU time")}, and <a href="#method">how to read this</a>.</p>`;
}
