import { EVENBENCH } from "@evenbench/core/called";
import {
  colourMark,
  commandCode,
  counted,
  csvTable,
  formatMs,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  listed,
  type Markup,
  type TableCell,
  unbroken,
} from "@evenbench/page";
import type { Facts, TargetFacts } from "../facts/facts.ts";
import { CARD_FILE, REPORT_FILE } from "../media/files.ts";
import {
  answerBeside,
  answers,
  baselineName,
  type Column,
  caseNoun,
  columnsOf,
  levelOf,
  mainChanges,
  ofColumn,
} from "../words/columns.ts";
import { commandOf } from "../words/command.ts";
import { footnote } from "../words/mark.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { dayOf, placeWords, versionWords } from "../words/names.ts";
import { cell, LEGEND } from "../words/notation.ts";
import { noticeLine } from "../words/notices.ts";
import { agreementSection } from "./agreement.ts";
import { historyFigures } from "./figures.ts";
import { ARCHIVE_FILE, CASES_FOLDER, INDEX_FILE, RUNS_FOLDER, STANDING_FILE } from "./folder.ts";
import {
  type CaseHistory,
  type GalleryRun,
  type History,
  historiesOf,
  type TargetHistory,
} from "./histories.ts";
import css from "./site.css";
import { hasLine, reachOf, sparkline } from "./sparkline.ts";

/** What stands where a run compared nothing. */
const NOTHING_COMPARED = "Nothing was compared.";
/** The command that measures what the first page shows. */
const MEASURE = "npm run bench";
/** Repositories whose host has forms for issues: other hosts have other addresses of them. */
const HAS_FORMS = /^https:\/\/github\.com\//;

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
  /** What other machines found, the newest first. */
  readonly contributed: readonly Facts[];
  /** Address where the gallery is published, with a slash at its end; null where nobody said. */
  readonly base: string | null;
}

/** A case on its page: its history at one place. */
interface CaseAtPlace {
  readonly ofCase: CaseHistory;
  readonly history: History;
}

/** Makes the pages of a gallery, and its table. */
export function sitePages(content: SiteContent): readonly SitePage[] {
  const { newestFirst, base } = content;
  const histories = historiesOf(newestFirst);
  const cases = Map.groupBy(
    histories.flatMap((history) => history.cases.map((ofCase): CaseAtPlace => ({ ofCase, history }))),
    ({ ofCase }) => ofCase.case.id,
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
    ...[...cases].map(([id, atPlaces]) => page(caseFile(id), casePage(atPlaces))),
    { file: STANDING_FILE, content: standingCsv(histories) },
  ];
}

/** Tells whether a gallery has runs of own servers and apps alone. */
function isOwn(newestFirst: readonly GalleryRun[]): boolean {
  return newestFirst.every(({ facts }) => facts.run.of !== "cases");
}

/** The ways from each page: to the others, to the data, and into the repository of the newest run. */
function galleryLinks({ newestFirst }: SiteContent, up: string): Markup {
  const source = newestFirst.find(({ facts }) => facts.run.repository !== null)?.facts.run;
  const repository = source?.repository ?? null;
  const inRepository =
    repository === null
      ? null
      : html` · <a href="${repository}/blob/${source?.commit ?? "HEAD"}/docs/method.md">How it measures</a> · <a href="${repository}">Source</a>`;
  const hasForm = repository !== null && HAS_FORMS.test(repository) && !isOwn(newestFirst);
  const form = hasForm
    ? html` · <a href="${repository}/issues/new?template=measured.yml">Add your numbers</a>`
    : null;
  const archive = html`<a href="${up}${ARCHIVE_FILE}">${allRuns(newestFirst)}</a>`;
  return html`<nav class="ways" aria-label="Pages"><a href="${up}${INDEX_FILE}">Evenbench</a>
· ${archive}${inRepository}${form} · <a href="${up}${STANDING_FILE}">CSV</a></nav>
`;
}

/** "All 3 runs", and "1 run". */
function allRuns(runs: readonly GalleryRun[]): string {
  return runs.length === 1 ? "1 run" : `All ${counted(runs.length, "run")}`;
}

/** Gives the path of a case's page in the gallery. */
function caseFile(id: string): string {
  return `${CASES_FOLDER}/${id}.html`;
}

/** Says what was compared, in sentences: by time, and by CPU time. */
function sentencesOf(facts: Facts): readonly string[] {
  const byTime = answers(facts);
  const byCpuTime = answerBeside(facts, "cpuMs");
  return byTime.length === 0 ? [NOTHING_COMPARED] : [...byTime, ...(byCpuTime === "" ? [] : [byCpuTime])];
}

/** Says which runs a place's numbers come from. */
function basis({ runs, allRuns: all, leftOut, hasFull, standing }: History): string {
  const days = new Set([runs[0], runs.at(-1)].flatMap((record) => (record ? [dayOf(record.facts)] : [])));
  const shown =
    all > runs.length ? `The newest ${runs.length} of ${counted(all, "run")}` : counted(all, "run");
  const small = leftOut === 1 ? "1 smoke test or short run" : `${leftOut} smoke tests or short runs`;
  const sentences = [
    `${shown}, ${[...days].join(" to ")}.`,
    hasFull ? "Each row is its newest full run." : "None has a verdict.",
    ...(leftOut === 0 ? [] : [`${small} left out.`]),
    ...(standing.run.judgedFrom === "ends" ? ["The newest run is shown without samples."] : []),
  ];
  return sentences.join(" ");
}

/** Writes the first page: the current standing at each place. */
function indexPage(histories: readonly History[], { contributed }: SiteContent): PageParts {
  const [main] = histories as [History];
  const isOfOwn = main.standing.run.of !== "cases";
  const what = isOfOwn ? "How these servers compare" : "The same JavaScript on several platforms";
  const [claim = NOTHING_COMPARED, ...others] = sentencesOf(main.standing);
  const answer = others.length === 0 ? null : html`<p class="answer">${unbroken(others.join(" "))}</p>`;
  const measure = isOfOwn ? null : html`<p class="key">Measure it yourself: <code>${MEASURE}</code></p>`;
  const standings = histories.map(({ standing }) => standing);
  const body = html`<header><p class="place">${what}</p><h1>${unbroken(claim)}</h1>
${answer}${measure}</header>
<main>${histories.map((history, index) => placeSection(history, index, standingTable(history)))}
<p class="key">${standingKey(histories)}</p>
${agreementSection(standings, contributed)}</main>`;
  const description = `${sentencesOf(main.standing).join(" ")} ${main.place}. ${basis(main)}`;
  return { title: claim, description, body };
}

/** Explains the signs, the mark and the lines that the tables have. */
function standingKey(histories: readonly History[]): string {
  const marks = footnote(histories.flatMap(({ standing }) => mainChanges(standing)));
  const hasLines = histories.some(({ cases }) => cases.some(({ time }) => time.some(hasLine)));
  const sentences = [
    `${LEGEND}.`,
    ...(marks === "" ? [] : [`${marks}.`]),
    ...(hasLines ? ["A line goes from run to run: below the grey one it takes less than the baseline."] : []),
  ];
  return sentences.join(" ");
}

/**
 * Writes the section of one place.
 *
 * @param content its table, or its figures on the page of a case.
 */
function placeSection(history: History, index: number, content: Markup): Markup {
  const { place, changes, standing } = history;
  const id = `place-${index + 1}`;
  const changed = changes.map(
    ({ number, day, what }) => html`<li>${number}. ${day}: ${what.join("; ")}</li>`,
  );
  const versions =
    changed.length === 0 ? null : html`<h3>Versions</h3><ul class="changes">${changed.toReversed()}</ul>`;
  const notices = standing.notices.map((notice) => html`<li>${noticeLine(standing, notice)}</li>`);
  const known =
    notices.length === 0
      ? null
      : html`<ul class="changes" aria-label="Notices of the newest run">${notices}</ul>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${place}</h2>
<p class="lead">${basis(history)} ${versionWords(standing)}</p>
${content}${known}${versions}</section>
`;
}

/**
 * Writes the table of the newest comparisons of a place: a row for each case, in the order of reports.
 */
function standingTable({ place, runs, cases, standing }: History): Markup {
  const columns = columnsOf(standing);
  const compared = cases.flatMap(({ time }) => time.filter(({ newest }) => newest.change !== null));
  const reach = reachOf(compared);
  const hasChanges = compared.some(({ changed }) => changed !== null);
  const rows = cases.map((ofCase): readonly TableCell[] => [
    titleCell(ofCase),
    {
      text: formatMs(levelOf(standing, ofCase.case.id, ofCase.case.baseline)?.value ?? null),
      className: "number",
    },
    ...columns.map((column) => changeCell(ofCase, column, runs.length, reach)),
    ...(hasChanges ? [changedCell(ofCase)] : []),
  ]);
  const head: readonly TableCell[] = [
    `${METRICS[TIME].title} against ${baselineName(standing)}`,
    baselineName(standing),
    ...columns.map(({ spoken, colour }) => ({ text: spoken, html: colourMark(spoken, colour) })),
    ...(hasChanges ? ["What changed"] : []),
  ];
  return htmlTable(`Current standing, ${place}`, { head, rows }, "standing");
}

/** Makes the cell of a case's title, which leads to its page. */
function titleCell({ case: { id, title, path } }: CaseHistory): TableCell {
  const ownId = path !== null || id === title ? null : html`<small>${id}</small>`;
  return { text: title, html: html`<a href="${caseFile(id)}">${title}</a>${ownId}` };
}

/** Makes the cell of a platform in a case: its newest change, and the line from run to run. */
function changeCell({ time }: CaseHistory, column: Column, runs: number, reach: number): TableCell {
  const found = time.find(({ target }) => column.targets.some(({ name }) => name === target.name));
  const change = found?.newest.change ?? null;
  if (found === undefined || change === null) {
    return "–";
  }
  const text = cell(change);
  return {
    text,
    html: html`${text}${sparkline(found, runs, reach)}`,
    className: `number ${change.verdict}`,
  };
}

/**
 * What changed of a case's targets, and the versions that are new since then. It does not say that these are the
 * cause.
 */
function changedCell({ time }: CaseHistory): TableCell {
  const changes = time.flatMap(({ target, changed }) => {
    if (changed === null) {
      return [];
    }
    const { before, after, day, versions } = changed;
    const since = versions.length === 0 ? "no version changed" : `new: ${versions.join("; ")}`;
    return [
      { name: target.spoken, words: `${cell(before, "drawn")} to ${cell(after, "drawn")}`, day, since },
    ];
  });
  const text = changes.map(({ name, words, day, since }) => `${name}: ${words}, ${day}, ${since}`).join("; ");
  const markup = changes.map(
    ({ name, words, day, since }) =>
      html`<small>${name}: <strong>${words}</strong>, ${day}; ${since}</small>`,
  );
  return { text, html: html`${markup}`, className: "changed" };
}

/** Writes the page of a case: its standing and its history at each place. */
function casePage(atPlaces: readonly CaseAtPlace[]): PageParts {
  const [{ ofCase, history }] = atPlaces as [CaseAtPlace];
  const { id, title, path } = ofCase.case;
  const facts = ofOneCase(history.standing, id);
  const sentences = sentencesOf(facts);
  const changes = mainChanges(facts);
  const columns = columnsOf(facts);
  const cells = columns.flatMap((column) =>
    ofColumn(column, changes).map((change) => `${column.spoken} ${cell(change)}`),
  );
  const answer = cells.length === 0 ? NOTHING_COMPARED : `${listed(cells)}, against ${baselineName(facts)}.`;
  const url = sourceOf(history.standing, ofCase);
  const command = commandOf(history.standing, { cases: [id], options: {} });
  const ways = [
    ...(url === null ? [] : [html`<a href="${url}">Source</a>`]),
    ...(command === null ? [] : [html`Measure it: ${commandCode(command)}`]),
  ];
  const lead = html`<p class="lead">${ways.map((way, index) => html`${index > 0 ? " · " : null}${way}`)}</p>`;
  const marks = footnote(changes);
  const body = html`<header><p class="place">${path === null ? html`<code>${id}</code>` : "Path"}</p><h1>${title}</h1>
<p class="answer">${unbroken(answer)}</p>${ways.length === 0 ? null : lead}</header>
<main>${atPlaces.map((each, index) => placeSection(each.history, index, historyCharts(each)))}
<p class="key">${LEGEND}.${marks === "" ? "" : ` ${marks}.`}</p></main>`;
  return { title: `${title}: ${answer}`, description: sentences.join(" "), body };
}

/** Leaves the other cases of facts out. */
function ofOneCase(facts: Facts, id: string): Facts {
  return {
    ...facts,
    cases: facts.cases.filter((each) => each.id === id),
    levels: facts.levels.filter((level) => level.case === id),
    changes: facts.changes.filter((change) => change.case === id),
  };
}

/** Gives the address of a case's source at the run's commit; null where that is not known. */
function sourceOf({ run }: Facts, { case: { source } }: CaseHistory): string | null {
  const isKnown = source !== null && run.repository !== null && run.commit !== null;
  return isKnown ? `${run.repository}/blob/${run.commit}/${source}` : null;
}

/** Writes the history of a case at one place: figures and numbers. */
function historyCharts({ ofCase, history }: CaseAtPlace): Markup {
  const against = baselineName(ofOneCase(history.standing, ofCase.case.id));
  return html`<h3>History</h3>
<p class="legend">${ofCase.time.map(({ target }) => html`${colourMark(target.spoken, target.colour)} `)}</p>
${historyFigures(ofCase, history, against)}
<details class="numbers"><summary>Numbers of ${counted(history.runs.length, "run")}</summary>${numbersTable(ofCase, history)}</details>`;
}

/** Writes the numbers of all runs of a place in a case. */
function numbersTable(ofCase: CaseHistory, { runs, place }: History): Markup {
  const columns = [
    ...ofCase.time.map((found) => ({ found, title: `${found.target.spoken}, time` })),
    ...ofCase.cpuTime.map((found) => ({ found, title: `${found.target.spoken}, CPU time` })),
  ];
  const rows = runs.map((run, at): readonly TableCell[] => [
    reportCell(run, "../"),
    ...columns.map(({ found }) => numberWords(found, at)),
  ]);
  const head = ["Run", ...columns.map(({ title }) => title)];
  return htmlTable(`Numbers of ${ofCase.case.title}, ${place}`, { head, rows: rows.toReversed() });
}

/** Writes what a run found of a target: its change, or its own time where it has none. */
function numberWords({ points }: TargetHistory, at: number): string {
  const point = points.find(({ index }) => index === at);
  if (point === undefined) {
    return "–";
  }
  return point.change === null ? formatMs(point.level.value) : cell(point.change);
}

/** Makes a cell with a run's date, which leads to its report. */
function reportCell({ facts, name, hasReport }: GalleryRun, up = ""): TableCell {
  const text = `${facts.run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
  if (!hasReport) {
    return text;
  }
  return { text, html: html`<a href="${up}${RUNS_FOLDER}/${name}/${REPORT_FILE}">${text}</a>` };
}

/** Writes the page of all runs. */
function archivePage(newestFirst: readonly GalleryRun[]): PageParts {
  const rows = newestFirst.map((record): readonly TableCell[] => [
    reportCell(record),
    sentencesOf(record.facts).join(" "),
    placeWords(record.facts),
    measuredWords(record.facts),
  ]);
  const title = `Evenbench: ${counted(rows.length, "run")}`;
  const head = ["Run", "Answer", "Place", "Measured"];
  const body = html`<header><h1>${allRuns(newestFirst)}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return { title, description: title, body };
}

/** "7 cases", "2 paths, without samples". */
function measuredWords(facts: Facts): string {
  const cases = counted(facts.cases.length, caseNoun(facts));
  return facts.run.judgedFrom === "ends" ? `${cases}, without samples` : cases;
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
    "why",
    "flags",
    "run",
    "date",
    "place",
  ];
  const rows = histories.flatMap((history) =>
    history.cases.flatMap(({ case: { id, title }, time }) =>
      time.map(({ target, newest: { run, level, change } }) => [
        id,
        title,
        target.spoken,
        change === null ? "" : spokenOf(history.standing.targets, change.baseline),
        digits(level.value),
        percent(change?.estimate),
        percent(change?.low),
        percent(change?.high),
        change?.verdict ?? "",
        change?.why ?? "",
        change?.flags.join(" ") ?? "",
        run.facts.run.id,
        dayOf(run.facts),
        history.place,
      ]),
    ),
  );
  return csvTable({ head, rows });
}

/** Number of significant digits of a table for spreadsheets: more are noise. */
const SIGNIFICANT_DIGITS = 4;

function digits(value: number | null): string {
  return value === null ? "" : String(Number(value.toPrecision(SIGNIFICANT_DIGITS)));
}

function percent(ratio: number | null | undefined): string {
  return ratio == null ? "" : digits(100 * (ratio - 1));
}

function spokenOf(targets: readonly TargetFacts[], name: string): string {
  return targets.find((target) => target.name === name)?.spoken ?? name;
}
