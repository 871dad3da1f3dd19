import { formatCount, formatMs, html, htmlTable, type Markup } from "@evenbench/page";
import { type ReportTarget, targetCell } from "@evenbench/report";
import type { Run } from "@evenbench/results";
import { nearestFirst } from "./rows.ts";
import { type VantageReport, vantageTable } from "./table.ts";

/** Makes the part of the page on a case that is shown at once: the table of its vantages, and how it is read. */
export function vantageSection(report: VantageReport, targets: readonly ReportTarget[]): Markup {
  const table = vantageTable(report, targets, true);
  return html`<h4>From near to far</h4>${htmlTable(table.title, table)}
<p class="key">Sorted by the time of ${report.baseline} from each ${"vantage"}.
By milliseconds longer, with the 99 % interval; ${"edges"} are those that answered. ${table.note}</p>`;
}

/** All numbers of a case by vantage and target, from near to far. */
export function vantageNumbers(
  { caseId, baseline, rows }: VantageReport,
  targets: readonly ReportTarget[],
): Markup {
  const title = "All that each vantage saw";
  const head = [
    "Target",
    "Vantage",
    "Median",
    "Connect",
    "Transfer",
    "Compute",
    "Requests",
    "Errors",
    "Instances",
    "Edges",
  ];
  const ordered = nearestFirst(rows, baseline).flatMap((name) =>
    rows.filter(({ vantage }) => vantage === name),
  );
  const table = htmlTable(`${title} of ${caseId}`, {
    head,
    rows: ordered.map((row) => [
      targetCell(row.target, { targets }),
      row.vantage,
      formatMs(row.medianMs),
      formatMs(row.connectMs),
      formatMs(row.transferMs),
      formatMs(row.computeMs),
      formatCount(row.exchanges),
      formatCount(row.errors),
      formatCount(row.instances),
      row.edges.join(", ") || "–",
    ]),
    numeric: head.slice(1).map((_, index) => index + 1),
  });
  return html`<h4>${title}</h4>${table}`;
}

/** The clients of each vantage, by their own clocks. */
export function describeClients({ vantages = [] }: Run): Markup {
  const head = ["Vantage", "Client", "Started", "Took", "Requests", "Lacks"];
  const rows = vantages.flatMap(({ name, clients }) =>
    clients.map(({ client, startedAt, elapsedMs, logged, planned, lacks }) => [
      name,
      client,
      startedAt,
      elapsedMs === null ? "–" : `${(elapsedMs / 1000).toFixed(1)} s`,
      `${formatCount(logged)} of ${formatCount(planned)}`,
      lacks ?? "nothing",
    ]),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2>
<p class="lead">By each client's own clock: starts cannot be compared.
No client reports its processor, its load or its CPU time.</p>${htmlTable("Clients", { head, rows })}</section>`;
}
