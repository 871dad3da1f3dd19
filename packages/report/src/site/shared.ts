import { html, type Markup } from "../html/markup.ts";
import type { GalleryRun } from "./gallery-run.ts";
import { RUNS } from "./sources.ts";

/** When a run began, such as "2026-11-22 07:16 UTC". */
export function when(run: GalleryRun | undefined): string {
  return `${run?.entry.startedAt.slice(0, 16).replace("T", " ") ?? ""} UTC`;
}

/** A link to a run's report; the text alone where the gallery no longer has the report. */
export function reportLink({ entry, isWhole }: GalleryRun, content: Markup | string): Markup {
  return isWhole ? html`<a href="${RUNS}/${entry.runId}/report.html">${content}</a>` : html`${content}`;
}

/** Of a gallery's pages, beside the style of all reports. */
export const SITE_STYLE = `
.answer a,.lead a,th a{text-decoration:underline}
article.run{display:grid;grid-template-columns:minmax(0,11fr) minmax(0,9fr);gap:28px;padding:28px 0;border-top:1px solid var(--line);align-items:start}
article.run.numbers-only{grid-template-columns:1fr;padding:16px 0}
article.run h2{font-size:18px;margin:0 0 8px}article.run p{margin:0 0 10px}article.run .facts{font-size:14px;color:var(--soft)}
article.run img{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:8px;background:#fff}
.changes{font-size:14px;color:var(--soft);padding-left:28px}.changes li{margin:2px 0}
.legend:empty{display:none}
@media screen and (max-width:900px){article.run{grid-template-columns:1fr;gap:14px;padding:20px 0}}
@media print{article.run{break-inside:avoid}}
`;
