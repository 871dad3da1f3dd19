import {
  commandCode,
  counted,
  explanations,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  type Markup,
  noticeList,
  PAGE_SCRIPT,
  TABLE_SCRIPT,
  unbroken,
} from "@evenbench/page";
import { answerOf, furtherCpuSentences, timeLine } from "../answer.ts";
import { isCompared } from "../case-report.ts";
import { adapterNotesOf, claimOf, sharedRuntimeNotes } from "../claim.ts";
import type { ReportData } from "../data.ts";
import {
  CARD_FILE,
  enginesNote,
  placeOf,
  platformColumns,
  REPORT_FILE,
  spokenBaselines,
  whatRan,
} from "../names.ts";
import { caseWord, isOfOwnServers } from "../notices.ts";
import { ownerTables } from "../owner.ts";
import { suggestedCommands } from "../repeat.ts";
import { slowRequestsNoteOf } from "../slow-requests.ts";
import { verdictRows } from "../verdict-table.ts";
import { caseSection } from "./case-section.ts";
import { panelsOf } from "./panels.ts";
import css from "./report.css";
import { factsSection, methodSection, repeatSection } from "./settings.ts";
import { tableKey, verdictSection } from "./verdict-section.ts";
import type { View } from "./view.ts";

/** The place of a page. */
export interface PageOptions {
  /**
   * Address of the published folder, with a slash at its end: previews of links need it. Default: it is not
   * published.
   */
  readonly folderUrl?: string | null;
  /** Link to the page of all runs, from its own place. Default: none. */
  readonly back?: string;
  /** False where no picture lies beside the page. Default: true. */
  readonly hasCard?: boolean;
}

/** Writes the page of a run's report: one HTML file that loads nothing. */
export function renderHtml(
  data: ReportData,
  { folderUrl = null, back, hasCard = true }: PageOptions = {},
): string {
  const { run, summary } = data;
  const word = caseWord(run.plan);
  const views = viewsOf(data);
  const ofEach = (draw: (view: View) => Markup | null) =>
    views.map(
      (view) => html`<div data-view="${view.key}"${view.key && html` hidden`}>${draw(view)}</div>
`,
    );
  const { heading } = claimOf(data);
  const isPanelled = data.method === null && data.cases.some(isCompared);
  const numbers = html`${ofEach((view) => verdictSection(view.data))}
${tableKey(data)}`;
  const rows = counted(verdictRows(data).length, "row");
  const way = back === undefined ? null : html`<a href="${back}">All runs</a> · `;
  const subject = isOfOwnServers(run.plan) ? null : ", the same JavaScript on several platforms";
  const body = html`<a class="skip" href="#content">To the results</a>
<header><p class="place">${way}<strong>Evenbench</strong>${subject}
· ${placeOf(run)} · ${run.startedAt.slice(0, 10)}
· ${counted(run.plan.cases.length, word)}${sourceLinks(data, back === undefined)}</p>
${ofEach(claim)}</header>
<main id="content">
${choiceOf(data, views)}
${ofEach((view) => html`${panels(view)}${notesBelow(view)}`)}
${decidingCommands(data)}
${noticeList(data.notices)}
${isPanelled ? html`<details class="more numbers-of-all"><summary>All numbers: ${rows}</summary>${numbers}</details>` : numbers}
${ownerSection(data)}
<div class="details">
<h2 id="cases">${word === "case" ? "Case by case" : "Path by path"} <button type="button" class="fold" hidden>Open all cases</button></h2>
${summary.failedChecks === null ? html`<p class="key">${summary.control}</p>` : null}
${data.cases.map((report) => caseSection(report, data, views))}
<details class="more"><summary>Settings, builds, plan and machine</summary>${factsSection(data)}</details></div>
<p class="key">${[whatRan(run), timeLine(data)].filter(Boolean).map((fact, index) => html`${index === 0 ? null : html`<br>`}${fact}`)}</p>
${repeatSection(data)}
<details class="more"><summary>How to read this</summary>${methodSection(run.source, data.method)}</details>
</main>
<footer>Run ${run.id}, Evenbench ${run.evenbenchVersion}. This page is one file and loads nothing. Printed, it has the picture, the notices, and what is open.</footer>${explanations()}`;
  return htmlDocument(heading, body, css, {
    head: linkPreview({
      kind: "article",
      title: heading,
      description: `${summary.sentences.join(" ")} ${placeOf(run)}, ${run.startedAt.slice(0, 10)}.`,
      ...(hasCard && { image: `${folderUrl ?? ""}${CARD_FILE}` }),
      ...(hasCard && { imageSays: heading }),
      ...(folderUrl !== null && { url: folderUrl + REPORT_FILE }),
    }),
    script: TABLE_SCRIPT + PAGE_SCRIPT,
  });
}

/** Writes the section of what the owner of an app asks beside times; null where no such app was measured. */
function ownerSection(data: ReportData): Markup | null {
  const tables = ownerTables(data);
  if (tables.length === 0) {
    return null;
  }
  return html`<h2 id="owner">What it costs, and how large it is</h2>${tables.map(
    ({ title, table, note }) =>
      html`${htmlTable(title, table)}${note === "" ? null : html`<p class="key">${note}</p>`}`,
  )}`;
}

/** Writes the links out of the page: to its numbers, and to the repository of the commit that measured. */
function sourceLinks({ run }: ReportData, isInOwnFolder: boolean): Markup {
  const files = isInOwnFolder
    ? html` · <a href="facts.csv">data (CSV)</a>`
    : html` · <a href="summary.json">data (JSON)</a>`;
  const { source } = run;
  if (source?.repository == null) {
    return files;
  }
  return html`${files} · <a href="${source.repository}/blob/${source.commit}/docs/reading-a-report.md">how to read it</a> · <a href="${source.repository}">repository</a>`;
}

/** Makes the view with the baselines that were measured, then one with each other platform in their place. */
function viewsOf(data: ReportData): readonly View[] {
  const { targets, cases, summary, method } = data;
  const compared = cases.filter(isCompared);
  const others = method === null ? platformColumns(targets, compared) : [];
  return [
    { key: "", baseline: spokenBaselines(targets, compared), data },
    ...others.map(({ name, spoken, comparisonIn }) => {
      const cases = compared.flatMap((report) => {
        const by = comparisonIn(report)?.target;
        return report.against.flatMap((other) => (other.baseline === by ? [{ ...report, ...other }] : []));
      });
      const answered = answerOf(targets, cases, summary);
      return { key: name, baseline: spoken, data: { ...data, cases, summary: answered } };
    }),
  ];
}

/** Writes the heading of a view, and what else was found. */
function claim(view: View): Markup {
  const { heading, others } = claimOf(view.data);
  const own =
    view.key === "" ? null : "From the same requests; only the usual baseline has a copy as a check.";
  const rest = [...others, ...sharedRuntimeNotes(view.data), own].filter((sentence) => sentence !== null);
  return html`<h1>${unbroken(heading)}</h1>${factList("answer", rest)}`;
}

/** Writes sentences as a list, one a line; null where there is none. */
function factList(kind: "answer" | "key", facts: readonly string[]): Markup | null {
  return facts.length === 0
    ? null
    : html`<ul class="${kind} facts">${facts.map((fact) => html`<li>${unbroken(fact)}</li>`)}</ul>`;
}

/** Writes what belongs to the answer and has no room above the picture; null where there is nothing. */
function notesBelow({ data }: View): Markup | null {
  const notes = [
    ...furtherCpuSentences(data),
    slowRequestsNoteOf(data),
    ...adapterNotesOf(data),
    enginesNote(data.run),
  ].filter((note) => note !== null);
  return factList("key", notes);
}

/** Draws the picture once for time and once for CPU time: without a script both are there. */
function panels({ data, baseline }: View): Markup | null {
  if (data.method !== null) {
    return null;
  }
  const time = panelsOf(data, baseline, ({ headline }) => headline);
  const cpu = panelsOf(data, baseline, ({ cpuTime }) => cpuTime);
  return html`<div data-metric="time">${time}</div>${cpu === null ? null : html`<div data-metric="cpu">${cpu}</div>`}`;
}

/** Writes the choice of metric and baseline. Without a script it is hidden; null where there is nothing to choose. */
function choiceOf(data: ReportData, views: readonly View[]): Markup | null {
  const metrics = [
    ["time", "Time"],
    ["cpu", "CPU time"],
  ] as const;
  const hasCpu = data.cases.some(({ cpuTime }) => cpuTime !== null && cpuTime.comparisons.length > 0);
  const tab = (name: string, value: string, words: string) =>
    html`<a href="#${name}=${value}" data-choose="${name}" data-value="${value}">${words}</a> `;
  const ofMetrics = hasCpu ? metrics.map(([value, words]) => tab("metric", value, words)) : null;
  const ofBaselines =
    views.length < 2
      ? null
      : html`<span class="against">against ${views.map(({ key, baseline }) => tab("baseline", key, baseline))}</span>`;
  if (ofMetrics === null && ofBaselines === null) {
    return null;
  }
  return html`<nav class="tabs" aria-label="What is shown" hidden>${ofMetrics}${ofBaselines}</nav>`;
}

/** Writes the commands that would decide the comparisons that are open; null where none would. */
function decidingCommands(data: ReportData): Markup | null {
  const commands = suggestedCommands(data);
  if (commands.length === 0) {
    return null;
  }
  return html`<p class="key">${commands.map(({ reason, command }) => html`${reason} ${commandCode(command)}<br>`)}</p>`;
}
