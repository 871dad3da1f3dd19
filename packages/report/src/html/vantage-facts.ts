import type { ReportData } from "../data.ts";
import { formatCount } from "../format.ts";
import { html, type Markup } from "./markup.ts";

/** Every client that measured, and whether its log is whole; null where one machine measured. */
export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) return null;
  const rows = run.vantages.flatMap(({ name, clients }) =>
    clients.map((one) => {
      const took = one.elapsedMs === null ? "–" : `${(one.elapsedMs / 1000).toFixed(1)} s`;
      const cells = [
        one.client,
        one.startedAt,
        took,
        `${formatCount(one.logged)} of ${formatCount(one.planned)}`,
        one.lacks ?? "nothing",
      ];
      return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
    }),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2><p class="lead">By each client's own clock: starts cannot be compared. No client reports its processor, its load or its CPU time.</p><div class="scroll" role="region" tabindex="0" aria-label="Clients"><table><thead><tr>${["Vantage", "Client", "Started", "Took", "Requests", "Lacks"].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
