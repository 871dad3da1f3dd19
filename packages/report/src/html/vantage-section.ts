import { formatCount, html, htmlTable, type Markup, term } from "@evenbench/page";
import type { CaseReport, ReportData } from "../data.ts";
import { vantageTables } from "../vantage-tables.ts";

/** Writes the tables of a case that several vantages measured. */
export function vantageSection(report: CaseReport, data: ReportData): readonly Markup[] {
  return vantageTables({ ...data, cases: [report] }).map(
    (table) =>
      html`<h4>From near to far</h4>${htmlTable(table.title, table)}<p class="key">Sorted by the time of ${report.baseline} from each ${term("vantage", "vantage")}. By milliseconds longer, with the 99 % interval; ${term("edges", "edge")} are those that answered. ${table.note}</p>`,
  );
}

/** Writes the table of the vantages' clients; null for a run of one client. */
export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) {
    return null;
  }
  const head = ["Vantage", "Client", "Started", "Took", "Requests", "Lacks"];
  const rows = run.vantages.flatMap(({ name, clients }) =>
    clients.map(({ client, startedAt, elapsedMs, logged, planned, lacks }) => [
      name,
      client,
      startedAt,
      elapsedMs === null ? "–" : `${(elapsedMs / 1000).toFixed(1)} s`,
      `${formatCount(logged)} of ${formatCount(planned)}`,
      lacks ?? "nothing",
    ]),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2><p class="lead">By each client's own clock: starts cannot be compared. No client reports its processor, its load or its CPU time.</p>${htmlTable("Clients", { head, rows })}</section>`;
}
