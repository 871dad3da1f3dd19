import type { VerdictRow } from "../rows.ts";
import { html, type Markup } from "./markup.ts";

/** What rows can be chosen by, and how it is called. */
const CHOICES = [
  ["app", "App", ({ app }: VerdictRow) => app],
  ["platform", "Platform", ({ platform }: VerdictRow) => platform],
  ["kind", "Kind of work", ({ kindOfWork }: VerdictRow) => kindOfWork],
  ["verdict", "Verdict", ({ comparison }: VerdictRow) => comparison?.verdict ?? ""],
] as const;

/** What ratios can be made to. */
export interface BaselineChoice {
  /** As it was measured. */
  readonly own: string;
  readonly others: readonly string[];
}

/**
 * One list for each thing that differs between rows, and one for the baseline. Hidden without the page's
 * script, which is what they work by.
 */
export function verdictFilter(rows: readonly VerdictRow[], baseline: BaselineChoice): Markup {
  const lists = CHOICES.map(([key, title, of]) => {
    const values = [...new Set(rows.map(of))].filter((value) => value !== "");
    return values.length < 2 ? null : choice(key, title, values);
  });
  return html`<form class="filter" hidden aria-label="Rows of the table">${lists}${baselineList(baseline)}<output></output></form>`;
}

function baselineList({ own, others }: BaselineChoice): Markup | null {
  if (others.length === 0) return null;
  return html`<label>Baseline <select name="baseline"><option value="">${own}</option>${others.map((one) => html`<option>${one}</option>`)}</select></label> `;
}

function choice(key: string, title: string, values: readonly string[]): Markup {
  return html`<label>${title} <select name="${key}"><option value="">all</option>${values.map((value) => html`<option>${value}</option>`)}</select></label> `;
}
