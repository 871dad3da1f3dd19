import { EVENBENCH } from "@evenbench/core/called";
import {
  colourMark,
  commandCode,
  counted,
  csvTable,
  formatChange,
  formatMs,
  formatSingleChange,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  listed,
  type Markup,
  markedChange,
  markWords,
  metricTitle,
  sameNote,
  type TableCell,
  unbroken,
} from "@evenbench/page";
import { isDifference, VERDICTS } from "@evenbench/stats";
import { headingOf } from "../claim.ts";
import { type CsvValue, cellText } from "../media/csv.ts";
import { CARD_FILE, measuredForm, REPORT_FILE, whatRan } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { IN_A_CLONE } from "../repeat.ts";
import { cpuAnswer, sentencesOf, type TargetFinding } from "../sentences.ts";
import { answerOfSummary, NOTHING_COMPARED } from "../summary-answer.ts";
import { FAILED_CHECK_NOTE, FAILED_CHECK_SIGN } from "../verdict-table.ts";
import { agreementSection } from "./agreement.ts";
import type { Contribution } from "./contributed.ts";
import { feedOf } from "./feed.ts";
import { historyFigures } from "./figures.ts";
import { ARCHIVE_FILE, CASES_FOLDER, FEED_FILE, INDEX_FILE, RUNS_FOLDER, STANDING_FILE } from "./folder.ts";
import {
  type CaseHistory,
  type CurrentComparison,
  type GalleryRun,
  type History,
  historiesOf,
  type TargetHistory,
} from "./histories.ts";
import css from "./site.css";
import { hasLine, reachOf, sparkline } from "./sparkline.ts";

/** The parts that differ between the pages of a gallery. */
interface PageParts {
  /** Text of the page's title. */
  readonly title: string;
  /** Text of the page's description, which previews of links show. */
  readonly description: string;
  /** Everything above the footer. */
  readonly body: Markup;
}

/** A file of a gallery. */
export interface SitePage {
  /** Path in the gallery's folder, with "/" between its parts. */
  readonly file: string;
  /** The page's text. */
  readonly content: string;
}

/** All that the pages of a gallery are made of. */
export interface SiteContent {
  /** The gallery's runs, the newest first. */
  readonly newestFirst: readonly GalleryRun[];
  /** Summaries of other machines, the newest first. */
  readonly contributions: readonly Contribution[];
  /** Address where the gallery is published, with a slash at its end; null where nobody said. */
  readonly base: string | null;
}

/** Makes the pages of a gallery, its table and its feed. Without an address there is no feed, which needs one. */
export function sitePages(content: SiteContent): readonly SitePage[] {
  const { newestFirst, base } = content;
  const histories = historiesOf(newestFirst);
  const cases = Map.groupBy(
    histories.flatMap((history) => history.cases),
    ({ id }) => id,
  );
  const pictured = newestFirst.find(({ hasReport }) => hasReport)?.name;
  const page = (file: string, { title, description, body }: PageParts): SitePage => {
    const up = "../".repeat(file.split("/").length - 1);
    const head = linkPreview({
      kind: "website",
      title,
      description,
      ...(base !== null && { url: base + file }),
      ...(base !== null &&
        pictured !== undefined && { image: `${base}${RUNS_FOLDER}/${pictured}/${CARD_FILE}` }),
    });
    const whole = html`${galleryLinks(content, up)}${body}
<footer>Made by <code>${EVENBENCH} site</code>; these pages load nothing from elsewhere.</footer>`;
    return { file, content: htmlDocument(title, whole, css, { head }) };
  };
  return [
    page(INDEX_FILE, indexPage(histories, content)),
    page(ARCHIVE_FILE, archivePage(newestFirst)),
    ...[...cases].map(([id, caseHistories]) => page(caseFile(id), casePage(caseHistories))),
    { file: STANDING_FILE, content: standingCsv(histories) },
    ...(base === null ? [] : [{ file: FEED_FILE, content: feedOf(newestFirst, base) }]),
  ];
}

/** The ways from each page: to the others, to the data, and into the repository of the newest run. */
function galleryLinks({ newestFirst, base }: SiteContent, up: string): Markup {
  const source = newestFirst.find(({ run }) => run.source?.repository != null)?.run.source;
  const repository = source?.repository ?? null;
  const isOwn = newestFirst.every(({ run }) => isOfOwnServers(run.plan));
  const inRepository =
    repository === null
      ? null
      : html` · <a href="${repository}/blob/${source?.commit ?? "HEAD"}/docs/method.md">How it measures</a> · <a href="${repository}">Source</a>`;
  const formUrl = isOwn ? null : measuredForm(repository);
  const form = formUrl === null ? null : html` · <a href="${formUrl}">Add your numbers</a>`;
  const feed = base === null ? null : html` · <a href="${up}${FEED_FILE}">RSS</a>`;
  const archive = html`<a href="${up}${ARCHIVE_FILE}">All ${counted(newestFirst.length, "run")}</a>`;
  return html`<nav class="ways" aria-label="Pages"><a href="${up}${INDEX_FILE}">Evenbench</a>
· ${archive}${inRepository}${form} · <a href="${up}${STANDING_FILE}">CSV</a>${feed}</nav>
`;
}

/** Gives the path of a case's page in the gallery. */
function caseFile(id: string): string {
  return `${CASES_FOLDER}/${id}.html`;
}

/** Writes the current standing of some cases, in sentences. */
function sentencesOfCases(cases: readonly CaseHistory[]): readonly string[] {
  const found = cases.flatMap(({ time, cpuTime }) =>
    time.flatMap(({ name: target, baseline, current }): readonly TargetFinding[] => {
      const cpu = cpuTime.find((targetHistory) => targetHistory.name === target)?.current ?? null;
      return current === null ? [] : [{ target, baseline, ...current, cpu }];
    }),
  );
  const sentences = sentencesOf(found, (name) => name);
  return sentences.length === 0 ? [NOTHING_COMPARED] : sentences;
}

/** Says which runs a place's numbers come from. */
function basis({ runs, allRuns, leftOut }: Pick<History, "runs" | "allRuns" | "leftOut">): string {
  const dates = new Set([runs[0], runs.at(-1)].map((record) => record?.run.startedAt.slice(0, 10)));
  const all = counted(allRuns, "run");
  const shown = allRuns > runs.length ? `The newest ${runs.length} of ${all}` : all;
  const small = leftOut === 1 ? "1 smoke test or short run" : `${leftOut} smoke tests or short runs`;
  const without = leftOut === 0 ? "" : ` ${small} left out.`;
  const counts = `${shown}, ${[...dates].join(" to ")}. Each row is its newest full run.${without}`;
  const caveats = runs.slice(-1).flatMap(({ summary }) => [summary.unproven, summary.failedChecks]);
  return [counts, ...caveats.filter((caveat) => caveat !== undefined)].join(" ");
}

/** Writes the first page: the current standing at each place. */
function indexPage(histories: readonly History[], { newestFirst, contributions }: SiteContent): PageParts {
  const [main] = histories as [History];
  const sentences = sentencesOfCases(main.cases);
  const isOwn = newestFirst.every(({ run }) => isOfOwnServers(run.plan));
  const what = isOwn ? "How these servers compare" : "The same JavaScript on several platforms";
  const claim = claimOfCases(main.cases, isOwn ? "path" : "case") ?? NOTHING_COMPARED;
  const isSaid = sentences.length === 1 && sentences[0] === claim;
  const answer = isSaid ? null : html`<p class="answer">${unbroken(sentences.join(" "))}</p>`;
  const command = IN_A_CLONE.replace(/ --$/, "");
  const measure = isOwn ? null : html`<p class="key">Measure it yourself: <code>${command}</code></p>`;
  const body = html`<header><p class="place">${what}</p><h1>${unbroken(claim)}</h1>
${answer}${measure}</header>
<main>${histories.map((history, index) => historySection(history, index, history.cases))}
<p class="key">${standingKey(histories)}</p>
${isOwn ? null : agreementSection(histories, contributions)}</main>`;
  return {
    title: claim,
    description: `${sentences.join(" ")} ${main.place}. ${basis(main)}`,
    body,
  };
}

/** Explains the signs, the colours and the lines that the tables have. */
function standingKey(histories: readonly History[]): string {
  const targetHistories = histories.flatMap(({ cases }) => cases.flatMap(({ time }) => time));
  const found = new Set(targetHistories.map(({ current }) => current?.verdict ?? null));
  const same = sameNote(found);
  const signs = VERDICTS.filter((verdict) => found.has(verdict)).map(markWords);
  const sentences = [
    "Coloured cells are decided. − less time, + more; in brackets the 99 % interval.",
    ...(signs.length === 0 ? [] : [`${signs.join(", ")}.`]),
    ...(same === "" ? [] : [same]),
    ...(histories.some(({ cases }) => cases.some(({ isCheckFailed }) => isCheckFailed))
      ? [FAILED_CHECK_NOTE]
      : []),
    ...(targetHistories.some(hasLine)
      ? ["A line goes from run to run: below the grey one it takes less than the baseline."]
      : []),
  ];
  return sentences.join(" ");
}

/**
 * Writes what is found of the platform that is told apart in most cases, as a heading; null where nothing is
 * compared.
 */
function claimOfCases(cases: readonly CaseHistory[], word: "case" | "path"): string | null {
  const compared = cases.flatMap(({ title, time }) =>
    time.flatMap(({ name, baseline, target, current }) =>
      current === null ? [] : [{ name, baseline, title, comparison: { target, ...current } }],
    ),
  );
  const findings = [...Map.groupBy(compared, ({ name }) => name)].map(([spoken, found]) => ({
    spoken,
    baseline: listed([...new Set(found.map(({ baseline }) => baseline))]),
    found,
    differences: found.filter(({ comparison }) => isDifference(comparison.verdict)).length,
  }));
  const [most] = findings.toSorted((a, b) => b.differences - a.differences);
  return most === undefined ? null : headingOf(most, word);
}

/**
 * Writes the section of one place.
 *
 * @param details its numbers in a case, where the page is that case's.
 */
function historySection(
  history: Omit<History, "cases">,
  index: number,
  cases: readonly CaseHistory[],
  details: Markup | null = null,
): Markup {
  const { place, changes, runs } = history;
  const id = `place-${index + 1}`;
  const changed = changes.map(({ number, day, what }) => html`<li>${number}. ${day}: ${what}</li>`);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${place}</h2>
<p class="lead">${basis(history)} ${runs.slice(-1).map(({ run }) => whatRan(run))}</p>
${details === null ? standingTable(cases, history) : null}
${changed.length === 0 ? null : html`<h3>Versions</h3><ul class="changes">${changed.toReversed()}</ul>`}${details}</section>
`;
}

/**
 * Writes the table of the newest comparisons of a place: a row for each case, sorted by the effect of the first
 * platform, as reports sort them.
 */
function standingTable(
  cases: readonly CaseHistory[],
  { place, runs }: Pick<History, "place" | "runs">,
): Markup {
  const compared = cases.flatMap(({ time }) => time.filter(({ current }) => current !== null));
  const columns = new Map(compared.map((targetHistory) => [targetHistory.name, targetHistory.colour]));
  const reach = reachOf(compared);
  const hasChanges = compared.some(({ changed }) => changed !== null);
  const [first] = columns.keys();
  const effectIn = ({ time }: CaseHistory) =>
    time.find(({ name }) => name === first)?.current?.ratio?.estimate ?? Number.POSITIVE_INFINITY;
  const sorted = cases.toSorted((a, b) => effectIn(a) - effectIn(b));
  const rows = sorted.map(({ id, title, isCheckFailed, time, cpuTime }): readonly TableCell[] => [
    titleCell({ id, title, isCheckFailed }),
    { text: formatMs(baselineMs(time)), className: "number" },
    ...[...columns.keys()].map((target): TableCell => {
      const targetHistory = time.find(({ name }) => name === target);
      if (targetHistory === undefined || targetHistory.current === null) {
        return "–";
      }
      const cpu = cpuTime.find((other) => other.name === target)?.current ?? null;
      const words = standingWords(targetHistory.current, cpu);
      return {
        text: words.text,
        html: html`${words.html}${sparkline(targetHistory, runs.length, reach)}`,
        className: `number ${targetHistory.current.verdict.replace(" ", "-")}`,
      };
    }),
    ...(hasChanges ? [changedCell(time)] : []),
  ]);
  const baselines = listed([...new Set(cases.flatMap(({ time }) => time.map(({ baseline }) => baseline)))]);
  const head: readonly TableCell[] = [
    `${timeTitle(cases)} against ${baselines}`,
    baselines,
    ...[...columns].map(([text, colour]) => ({ text, html: colourMark(text, colour) })),
    ...(hasChanges ? ["What changed"] : []),
  ];
  return htmlTable(`Current standing, ${place}`, { head, rows }, "standing");
}

/** Makes the cell of a case's title, with the sign of a check that failed. */
function titleCell({
  id,
  title,
  isCheckFailed,
}: Pick<CaseHistory, "id" | "title" | "isCheckFailed">): TableCell {
  const sign = isCheckFailed ? ` ${FAILED_CHECK_SIGN}` : "";
  const ownId = id === title ? null : html`<small>${id}</small>`;
  return { text: title, html: html`<a href="${caseFile(id)}">${title}${sign}</a>${ownId}` };
}

/** Names what is compared: "Time to the last byte"; "Time" where cases are judged by different times. */
function timeTitle(cases: readonly CaseHistory[]): string {
  const titles = new Set(
    cases.flatMap(({ time }) => time.map(({ newest }) => metricTitle(newest.row.metric))),
  );
  const [title = "Time"] = titles;
  return titles.size === 1 ? title : "Time";
}

/** A comparison in words, with and without marks of HTML. */
interface StandingWords {
  readonly text: string;
  readonly html: Markup;
}

/** Writes a comparison by time; where that is open and CPU time is decided, by both. */
function standingWords(current: CurrentComparison, cpu: CurrentComparison | null): StandingWords {
  const time = markedChange(current);
  const answer = cpuAnswer({ verdict: current.verdict, cpu });
  if (answer === null) {
    return { text: time, html: html`${time}` };
  }
  const ofCpu = `CPU time ${markedChange(answer)}`;
  return { text: `${time}; ${ofCpu}`, html: html`${time}<small>${ofCpu}</small>` };
}

/** The time of the target that the others of a case are compared with, in milliseconds; null where it has none. */
function baselineMs(time: readonly TargetHistory[]): number | null {
  const baseline = time.find(({ newest }) => newest.row.target === newest.row.baseline);
  return baseline?.newest.row.medianMs ?? null;
}

/**
 * What changed of a case's targets, and the versions that are new since then. It does not say that these are the
 * cause.
 */
function changedCell(time: readonly TargetHistory[]): TableCell {
  const changes = time.flatMap(({ name, changed }) => {
    if (changed === null) {
      return [];
    }
    const { before, after, day, versions } = changed;
    const since = versions === null ? "no version changed" : `new: ${versions}`;
    return [{ name, words: `${estimateWords(before)} to ${estimateWords(after)}`, day, since }];
  });
  const text = changes.map(({ name, words, day, since }) => `${name}: ${words}, ${day}, ${since}`).join("; ");
  const markup = changes.map(
    ({ name, words, day, since }) =>
      html`<small>${name}: <strong>${words}</strong>, ${day}; ${since}</small>`,
  );
  return { text, html: html`${markup}`, className: "changed" };
}

function estimateWords({ ratio, verdict }: NonNullable<TargetHistory["current"]>): string {
  return ratio === null ? verdict : formatSingleChange(ratio.estimate);
}

/** Writes the page of a case: its standing and its history at each place. */
function casePage(histories: readonly CaseHistory[]): PageParts {
  const [newest] = histories as [CaseHistory];
  const { id, title, links } = newest;
  const answer = sentencesOfCases([newest]).join(" ");
  const body = html`<header><p class="place"><code>${id}</code></p><h1>${title}</h1>
<p class="answer">${answer}</p>
<p class="lead">${links.url === null ? null : html`<a href="${links.url}">Source</a> · `}Measure it: ${commandCode(links.command)}</p></header>
<main>${histories.map((history, index) => historySection(history, index, [history], historyCharts(history)))}</main>`;
  return { title: `${id}: ${answer}`, description: answer, body };
}

/** Writes the history of a case at one place: figures and numbers. */
function historyCharts(history: CaseHistory): Markup {
  return html`<h3>History</h3>
<p class="legend">${history.time.map((targetHistory) => html`${colourMark(targetHistory.name, targetHistory.colour)} `)}</p>
${historyFigures(history)}
<details class="numbers"><summary>Numbers of ${counted(history.runs.length, "run")}</summary>${numbersTable(history)}</details>`;
}

/** Writes the numbers of all runs of a place in a case. */
function numbersTable({ id, time, cpuTime, runs, place }: CaseHistory): Markup {
  const columns = [
    ...time.map((targetHistory) => ({ ...targetHistory, title: `${targetHistory.name}, time` })),
    ...cpuTime.map((targetHistory) => ({ ...targetHistory, title: `${targetHistory.name}, CPU time` })),
  ];
  const rows = runs.map((run, at): readonly TableCell[] => [
    reportCell(run, "../"),
    ...columns.map(({ points }) => {
      const { medianMs = null, ratio = null, verdict } = points.find(({ index }) => index === at)?.row ?? {};
      return ratio === null ? formatMs(medianMs) : `${formatChange(ratio)} ${verdict}`;
    }),
  ]);
  const head = ["Run", ...columns.map(({ title }) => title)];
  return htmlTable(`Numbers of ${id}, ${place}`, { head, rows: rows.toReversed() });
}

/** Makes a cell with a run's date, which leads to its report. */
function reportCell({ run, name, hasReport }: GalleryRun, up = ""): TableCell {
  const text = `${run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
  if (!hasReport) {
    return text;
  }
  return { text, html: html`<a href="${up}${RUNS_FOLDER}/${name}/${REPORT_FILE}">${text}</a>` };
}

/** Writes the page of all runs. */
function archivePage(newestFirst: readonly GalleryRun[]): PageParts {
  const rows = newestFirst.map((record): readonly TableCell[] => [
    reportCell(record),
    answerOfSummary(record) ?? NOTHING_COMPARED,
    record.summary.place,
    counted(new Set(record.summary.rows.map(({ caseId }) => caseId)).size, "case"),
    String(record.summary.notices.length),
  ]);
  const title = `Evenbench: ${counted(rows.length, "run")}`;
  const head = ["Run", "Answer", "Place", "Cases", "Notices"];
  const body = html`<header><h1>All ${counted(rows.length, "run")}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return { title, description: title, body };
}

/** Writes the current standing for spreadsheets: a line for each place, case and target that is compared. */
function standingCsv(histories: readonly History[]): string {
  const head = [
    "case",
    "title",
    "platform",
    "compared_with",
    "time_ms",
    "change_percent",
    "low_percent",
    "high_percent",
    "verdict",
    "run",
    "date",
    "place",
  ];
  const percent = (ratio: number | undefined) => (ratio === undefined ? undefined : 100 * (ratio - 1));
  const rows = histories.flatMap(({ place, cases }) =>
    cases.flatMap(({ id, title, time }) =>
      time.flatMap(({ name, baseline, current, newest }) => {
        const { run, row } = newest;
        const { ratio = null, verdict = null } = current ?? {};
        const values: readonly CsvValue[] = [
          id,
          title,
          name,
          current === null ? null : baseline,
          row.medianMs,
          percent(ratio?.estimate),
          percent(ratio?.low),
          percent(ratio?.high),
          verdict,
          run.id,
          run.startedAt.slice(0, 10),
          place,
        ];
        return [values.map(cellText)];
      }),
    ),
  );
  return csvTable({ head, rows });
}
