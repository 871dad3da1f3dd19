import type { VerdictRow } from "../rows.ts";
import { html, type Markup } from "./markup.ts";

/** What rows can be chosen by, and how it is called. */
const CHOICES = [
  ["app", "App", ({ app }: VerdictRow) => app],
  ["platform", "Platform", ({ platform }: VerdictRow) => platform],
  ["kind", "Kind of work", ({ kindOfWork }: VerdictRow) => kindOfWork],
  ["verdict", "Verdict", ({ comparison }: VerdictRow) => comparison?.verdict ?? ""],
] as const;

/** One list for each thing that differs between rows. Hidden without the page's script, which is what it works by. */
export function verdictFilter(rows: readonly VerdictRow[]): Markup {
  const lists = CHOICES.map(([key, title, of]) => {
    const values = [...new Set(rows.map(of))].filter((value) => value !== "");
    return values.length < 2 ? null : choice(key, title, values);
  });
  return html`<form class="filter" hidden aria-label="Rows of the table">${lists}<output></output></form>`;
}

function choice(key: string, title: string, values: readonly string[]): Markup {
  return html`<label>${title} <select name="${key}"><option value="">all</option>${values.map((value) => html`<option>${value}</option>`)}</select></label> `;
}
