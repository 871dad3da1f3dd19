import { CARD_FILE } from "../card-file.ts";
import { counted } from "../format.ts";
import { htmlDocument } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { changesByRun, machineName } from "./courses.ts";
import type { GalleryRun } from "./gallery-run.ts";
import { reportLink, SITE_STYLE, when } from "./shared.ts";
import { RUNS } from "./sources.ts";

/** All runs, newest first, each with its picture and its answer. The same runs give the same bytes. */
export function indexPage(newestFirst: readonly GalleryRun[]): string {
  const machines = new Set(newestFirst.map(({ entry }) => machineName(entry.machine)));
  const changes = changesByRun(newestFirst);
  const body = html`<header><h1><strong>Evenbench</strong> · ${counted(newestFirst.length, "run")} on ${counted(machines.size, "machine")}</h1>
<p class="answer">How the same JavaScript runs on several platforms, run by run. <a href="history.html">History of each case</a></p></header>
<main>${newestFirst.map((run) => runArticle(run, changes.get(run.entry.runId) ?? []))}</main>
<footer>Made by <code>evenbench site</code>. These pages need no server and load nothing from elsewhere.</footer>`;
  return htmlDocument("Evenbench runs", body, SITE_STYLE, { pictures: true, head: linkPreview(newestFirst) });
}

function runArticle(run: GalleryRun, changes: readonly string[]): Markup {
  const { runId, answer, machine, cases, notices } = run.entry;
  const picture = html`<img src="${RUNS}/${runId}/${CARD_FILE}" width="1200" height="630" loading="lazy" alt="Picture of run ${runId}">`;
  const facts = [counted(cases.length, "case"), notices === 0 ? null : counted(notices, "notice")];
  return html`<article class="run${run.isWhole ? "" : " numbers-only"}" id="run-${runId}">${run.isWhole ? reportLink(run, picture) : null}<div><h2>${reportLink(run, when(run))}</h2>
<p>${answer}</p>
<p class="facts">${machineName(machine)}, ${machine.system}. ${facts.filter((one) => one !== null).join(", ")}.</p>
${changes.length === 0 ? null : html`<p class="facts">Changed since the run before: ${changes.join("; ")}.</p>`}</div></article>
`;
}

/** What chats and feeds show of a link to the gallery: its newest run. */
function linkPreview([newest]: readonly GalleryRun[]): Markup {
  const { runId = "", answer = "" } = newest?.entry ?? {};
  return html`
<meta property="og:title" content="Evenbench runs">
<meta property="og:description" content="${answer}">
<meta property="og:image" content="${RUNS}/${runId}/${CARD_FILE}">`;
}
