import { EVENBENCH } from "@evenbench/core/called";
import {
  type Cell,
  colourMark,
  counted,
  formatChange,
  formatMs,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  listed,
  type Markup,
  markedChange,
  markWords,
} from "@evenbench/page";
import { VERDICTS } from "@evenbench/stats";
import { CARD_FILE, REPORT_FILE, whatRan } from "../names.ts";
import { isOfOwnServers } from "../notices.ts";
import { type Found, sentencesOf } from "../sentences.ts";
import { historyFigures } from "./figures.ts";
import { ARCHIVE_FILE, CASES, INDEX_FILE, RUNS } from "./folder.ts";
import { type CaseHistory, type GalleryRun, type History, historiesOf } from "./histories.ts";
import css from "./site.css";

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

/**
 * Writes all pages of a gallery: the current standing, all runs, and one for each case.
 *
 * @param base address where the gallery is published, with a slash at its end; null where nobody said.
 */
export function sitePages(newestFirst: readonly GalleryRun[], base: string | null): readonly SitePage[] {
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
      ...(base !== null && pictured !== undefined && { image: `${base}${RUNS}/${pictured}/${CARD_FILE}` }),
    });
    const whole = html`${body}
<footer><a href="${up}index.html">Current standing</a> · <a href="${up}archive.html">All runs</a>. Made by <code>${EVENBENCH} site</code>; these pages load nothing from elsewhere.</footer>`;
    return { file, content: htmlDocument(title, whole, css, { head }) };
  };
  return [
    page(INDEX_FILE, indexPage(histories, newestFirst)),
    page(ARCHIVE_FILE, archivePage(newestFirst)),
    ...[...cases].map(([id, caseHistories]) => page(caseFile(id), casePage(caseHistories))),
  ];
}

/** Gives the path of a case's page in the gallery. */
function caseFile(id: string): string {
  return `${CASES}/${id}.html`;
}

/** The answer where no run compared anything. */
const NOTHING = "Nothing was compared.";

/** Writes the current standing of some cases, in sentences. */
function sentencesOfCases(cases: readonly CaseHistory[]): readonly string[] {
  const found = cases.flatMap(({ time, cpuTime }) =>
    time.flatMap(({ name: target, baseline, current }): readonly Found[] => {
      const cpu = cpuTime.find((course) => course.name === target)?.current ?? null;
      return current === null ? [] : [{ target, baseline, ...current, cpu }];
    }),
  );
  const sentences = sentencesOf(found, (name) => name);
  return sentences.length === 0 ? [NOTHING] : sentences;
}

/** Says which runs a place's numbers come from. */
function basis({ runs, allRuns, leftOut }: Pick<History, "runs" | "allRuns" | "leftOut">): string {
  const dates = new Set([runs[0], runs.at(-1)].map((record) => record?.run.startedAt.slice(0, 10)));
  const all = counted(allRuns, "run");
  const shown = allRuns > runs.length ? `The newest ${runs.length} of ${all}` : all;
  const without = leftOut === 0 ? "" : ` ${counted(leftOut, "smoke test or short run")} left out.`;
  const counts = `${shown}, ${[...dates].join(" to ")}. Each row is its newest full run.${without}`;
  return [counts, ...runs.slice(-1).flatMap(({ summary }) => summary.unproven ?? [])].join(" ");
}

/** Writes the first page: the current standing at each place. */
function indexPage(histories: readonly History[], newestFirst: readonly GalleryRun[]): PageParts {
  const [main] = histories as [History];
  const sentences = sentencesOfCases(main.cases);
  const isOwn = newestFirst.every(({ run }) => isOfOwnServers(run.plan));
  const what = isOwn ? "how these servers compare" : "how the same JavaScript runs on several platforms";
  const body = html`<header><h1><strong>Evenbench</strong> · ${what}</h1>
<p class="answer">${sentences.join(" ")}</p></header>
<main>${histories.map((history, index) => historySection(history, index, history.cases))}
<p class="key">Coloured cells are decided. − less time, + more; in brackets the 99 % interval. ${VERDICTS.map((verdict) => `${markWords(verdict)} `)}</p>
<p class="lead"><a href="archive.html">All ${counted(newestFirst.length, "run")}</a>.</p></main>`;
  return {
    title: sentences[0] ?? "",
    description: `${sentences.join(" ")} ${main.place}. ${basis(main)}`,
    body,
  };
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
${standingTable(cases, place, details === null ? "" : "../")}
${changed.length === 0 ? null : html`<h3>Versions</h3><ul class="changes">${changed.toReversed()}</ul>`}${details}</section>
`;
}

/** Writes the table of the newest comparisons. @param up the way from the page to the gallery's folder. */
function standingTable(cases: readonly CaseHistory[], place: string, up: string): Markup {
  const compared = cases.flatMap(({ time }) => time.filter(({ current }) => current !== null));
  const columns = new Map(compared.map((course) => [course.name, course.colour]));
  const rows = cases.map(({ id, title, time }): readonly Cell[] => [
    { text: id, html: html`<a href="${up}${caseFile(id)}">${id}</a> <small>${title}</small>` },
    ...[...columns.keys()].map((target): Cell => {
      const current = time.find((course) => course.name === target)?.current;
      if (current == null) {
        return "–";
      }
      return { text: markedChange(current), className: `number ${current.verdict.replace(" ", "-")}` };
    }),
  ]);
  const baselines = new Set(cases.flatMap(({ time }) => time.map(({ baseline }) => baseline)));
  const head: readonly Cell[] = [
    `Time against ${listed([...baselines])}`,
    ...[...columns].map(([text, colour]) => ({ text, html: colourMark(text, colour) })),
  ];
  return htmlTable(`Current standing, ${place}`, { head, rows }, "standing");
}

/** Writes the page of a case: its standing and its history at each place. */
function casePage(histories: readonly CaseHistory[]): PageParts {
  const [newest] = histories as [CaseHistory];
  const { id, title, links } = newest;
  const answer = sentencesOfCases([newest]).join(" ");
  const body = html`<header><h1><strong>Evenbench</strong> · ${title} <code>${id}</code></h1>
<p class="answer">${answer}</p>
<p class="lead">${links.url === null ? null : html`<a href="${links.url}">Source</a> · `}Measure it: <code>${links.command}</code></p></header>
<main>${histories.map((history, index) => historySection(history, index, [history], courses(history)))}</main>`;
  return { title: `${id}: ${answer}`, description: answer, body };
}

/** Writes the history of a case at one place: figures and numbers. */
function courses(history: CaseHistory): Markup {
  return html`<h3>History</h3>
<p class="legend">${history.time.map((course) => html`${colourMark(course.name, course.colour)} `)}</p>
${historyFigures(history)}
<details class="numbers"><summary>Numbers of ${counted(history.runs.length, "run")}</summary>${numbersTable(history)}</details>`;
}

/** Writes the numbers of all runs of a place in a case. */
function numbersTable({ id, time, cpuTime, runs, place }: CaseHistory): Markup {
  const columns = [
    ...time.map((course) => ({ ...course, title: `${course.name}, time` })),
    ...cpuTime.map((course) => ({ ...course, title: `${course.name}, CPU time` })),
  ];
  const rows = runs.map((run, at): readonly Cell[] => [
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
function reportCell({ run, name, hasReport }: GalleryRun, up = ""): Cell {
  const text = `${run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
  if (!hasReport) {
    return text;
  }
  return { text, html: html`<a href="${up}${RUNS}/${name}/${REPORT_FILE}">${text}</a>` };
}

/** Writes the page of all runs. */
function archivePage(newestFirst: readonly GalleryRun[]): PageParts {
  const rows = newestFirst.map((record): readonly Cell[] => [
    reportCell(record),
    record.summary.answer ?? NOTHING,
    record.summary.place,
    counted(new Set(record.summary.rows.map(({ caseId }) => caseId)).size, "case"),
    String(record.summary.notices.length),
  ]);
  const title = `Evenbench: ${counted(rows.length, "run")}`;
  const head = ["Run", "Answer", "Place", "Cases", "Notices"];
  const body = html`<header><h1><strong>Evenbench</strong> · ${counted(rows.length, "run")}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return { title, description: title, body };
}
