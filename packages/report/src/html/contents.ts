import type { ReportData } from "../data.ts";
import { html, type Markup } from "./markup.ts";

/** Of the page: ids of its headings, and how the list calls them. */
const BEFORE_CASES = [["content", "Results"]] as const;
const AFTER_CASES = [
  ["settings", "Settings"],
  ["plan", "Plan and machine"],
  ["repeat", "How to repeat"],
  ["method", "How to read this"],
] as const;

/** The list of contents. It stays in view beside the page where that leaves room; elsewhere it is not shown. */
export function contents({ cases }: ReportData): Markup {
  const own = cases.map(({ manifest: { id } }) => [`case-${id}`, id] as const);
  return html`<nav class="contents" aria-label="Contents"><ul>${entries(BEFORE_CASES)}<li><a href="#cases">Cases</a><ul>${entries(own)}</ul></li>${entries(AFTER_CASES)}</ul><button type="button" class="fold" hidden>Open all cases</button></nav>`;
}

function entries(list: readonly (readonly [string, string])[]): readonly Markup[] {
  return list.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`);
}
