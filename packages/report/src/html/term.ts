import type { CaseReport, ReportData } from "../data.ts";
import { html, type Markup } from "./markup.ts";

/** Words of the page that have a meaning of their own here, as docs/glossary.md explains them. */
export const GLOSSARY = {
  "kind of work":
    "What a case is about, in a word or two. Reports group cases by it. In code and JSON: kind.",
  case: "One piece of work with an address, such as rendering a page. The same parameters always give the same body.",
  target: "One app on one platform, such as next-vercel; or a server that you named.",
  baseline:
    "The target that the others are compared with: node, or the first where there is none, unless --baseline names another.",
  instance: "One running copy of a deployable: a process that keeps its state from one request to the next.",
  "setting that must be equal":
    "A fact about a target that must not differ, such as NODE_ENV. --allow names one that may. In code and JSON: a pin.",
  request: "One question of the client, with its whole response. In code and results: an exchange.",
  trial: "One fresh start of every target, or one fresh connection to a URL, with its warm-up and rounds.",
  preflight: "The check before anything is timed: all targets must send the same body, with equal settings.",
  "warm-up": "Requests to a fresh instance that are not part of the result.",
  warm: "Said of an instance whose times no longer fall. The measured rounds must show it.",
  "cold start": "The time from starting an instance until it is ready, and its first requests.",
  "first byte": "The time from writing the request until the first byte of the response arrives.",
  "last byte": "The time from writing the request until the whole body has arrived.",
  "transfer time": "What sending the same number of bytes takes when nothing is computed: the case payload.",
  "compute time": "The time of a case minus its transfer time.",
  "CPU time": "How long the instance's threads ran on a processor. Waiting is not part of it.",
  interval: "Two numbers around a ratio. Of 100 such intervals, about 99 contain the true ratio.",
  vantage: "A place that targets are measured from: one or more machines, in one region of one network.",
  edge: "The place of a platform that takes a request: for Cloudflare the colo that cf-ray names, for Vercel the first region in x-vercel-id.",
  "A/A copy":
    "The baseline a second time, with instances of its own, named node~copy. Any difference between the two is noise.",
  "A/A control":
    "The comparison of the baseline with its copy. It shows what noise alone can do in this run.",
  "noise floor": "How far from 1 the interval of the A/A control reaches. It decides nothing.",
  verdict: "What may be said of a comparison: faster, slower, same (within 5 %), inconclusive, or not warm.",
} as const;

type Word = keyof typeof GLOSSARY;

export interface Explained {
  /** With the first of the words, unique on the page. */
  readonly place: string;
  readonly says?: string;
  readonly words: readonly [Word, ...Word[]];
}

export function term(shown: string, place: string | null, ...words: Explained["words"]): Markup {
  if (place === null) return html`${shown}`;
  const explained = { place, words };
  return html`<span class="term"><dfn tabindex="0" aria-describedby="${idOf(explained)}">${shown}</dfn>${tip(explained)}</span>`;
}

export function explainedControl(control: (attributes: Markup) => Markup, explained: Explained): Markup {
  const describedBy = html` aria-describedby="${idOf(explained)}"`;
  return html`<span class="term">${control(describedBy)}${tip(explained)}</span>`;
}

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

/** Tables that scroll would cut a tip off, and phones have no room: it stands at the lower edge there. */
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
