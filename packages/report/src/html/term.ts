import type { CaseReport, ReportData } from "../data.ts";
import { GLOSSARY, type Word } from "./glossary.ts";
import { html, type Markup } from "./markup.ts";

/** Words that are explained where they stand. */
export interface Explained {
  /** Of the table or section: with the first of the words, no two on a page may be equal. */
  readonly place: string;
  /** What is said before the words: of this place alone. */
  readonly says?: string;
  readonly words: readonly [Word, ...Word[]];
}

/**
 * A word with its explanation, which the pointer and the keyboard's focus bring up: by style alone, since a
 * page must work without its script. In print there is none.
 *
 * @param place null where the word stands once more: it is not explained again.
 */
export function term(shown: string, place: string | null, ...words: Explained["words"]): Markup {
  if (place === null) return html`${shown}`;
  const explained = { place, words };
  return html`<span class="term"><dfn tabindex="0" aria-describedby="${idOf(explained)}">${shown}</dfn>${tip(explained)}</span>`;
}

/** The same for a control, whose own focus brings it up. @param control gets the attributes it is to have. */
export function explainedControl(control: (attributes: Markup) => Markup, explained: Explained): Markup {
  const describedBy = html` aria-describedby="${idOf(explained)}"`;
  return html`<span class="term">${control(describedBy)}${tip(explained)}</span>`;
}

/**
 * The place of a table that cases have, for `term`.
 *
 * @param name of the table; only the first case that has one explains its words.
 */
export function placeOfTable(
  name: string,
  report: CaseReport,
  { cases }: ReportData,
  has: (one: CaseReport) => boolean,
): string | null {
  return cases.find(has) === report ? name : null;
}

function tip(explained: Explained): Markup {
  const { says = "", words } = explained;
  return html`<span role="tooltip" class="tip" id="${idOf(explained)}">${says === "" ? null : html`<span>${says}.</span>`}${words.map((word) => html`<span><strong>${word}</strong> ${GLOSSARY[word]}</span>`)}</span>`;
}

function idOf({ place, words }: Explained): string {
  return `about-${place}-${words[0].toLowerCase().replace(/\W+/g, "-")}`;
}

/**
 * Tables that scroll would cut it off, and phones have no room beside a word: there it stands at the window's
 * lower edge.
 */
export const TERM_STYLE = `
.term{position:relative;display:inline-block}.term dfn{font-style:normal;cursor:help;text-decoration:underline dotted;text-underline-offset:3px}
.tip{display:none;position:absolute;left:0;top:100%;z-index:2;width:400px;padding:10px 14px;border:1px solid var(--soft);border-radius:6px;background:var(--paper);color:var(--ink);font-size:14px;font-weight:400;line-height:1.45;letter-spacing:0;text-align:left;white-space:normal;box-shadow:0 4px 16px #0003}
.tip>span{display:block}.tip>span+span{margin-top:6px}.tip strong{font-weight:600}
.term:hover>.tip,.term>:focus-visible~.tip,.term>dfn:focus~.tip{display:block;animation:tip 1ms .3s both}.term.closed>.tip{display:none!important}.term.above>.tip{top:auto;bottom:100%}.term>*{scroll-margin-bottom:20em}
@keyframes tip{from{visibility:hidden}}
.verdicts th:nth-child(n+5) .tip,.intervals th:nth-child(n+4) .tip{left:auto;right:0}
.scroll .tip{position:fixed;inset:auto 16px 16px 16px;width:auto;max-width:46em}
@media screen and (max-width:900px){.tip{position:fixed;inset:auto 16px 16px 16px!important;width:auto}}
@media print{.term>.tip{display:none!important}.term dfn{text-decoration:none}}
`;

/**
 * Keeps an explanation within the window, and takes it away at Escape until the pointer or the focus leaves.
 * Nothing of it is needed.
 */
export const TERM_SCRIPT = `
for (const term of document.querySelectorAll(".term")) {
  const tip = term.querySelector(".tip");
  const place = () => {
    tip.style.marginLeft = "";
    term.classList.remove("above");
    const { left, right, bottom, height } = tip.getBoundingClientRect();
    const most = document.documentElement.clientWidth - 8;
    if (right > most || left < 8) tip.style.marginLeft = Math.max(8 - left, Math.min(0, most - right)) + "px";
    if (bottom > innerHeight && term.getBoundingClientRect().top > height) term.classList.add("above");
  };
  const open = () => term.classList.remove("closed");
  for (const kind of ["mouseenter", "focusin"]) term.addEventListener(kind, place);
  for (const kind of ["mouseleave", "focusout"]) term.addEventListener(kind, open);
}
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const term of document.querySelectorAll(".term:hover, .term:focus-within")) term.classList.add("closed");
});
`;
