import { EVENBENCH } from "@evenbench/core/called";
import {
  counted,
  html,
  htmlDocument,
  htmlTable,
  linkPreview,
  type Markup,
  type TableCell,
} from "@evenbench/page";
import type { Facts } from "../facts/facts.ts";
import { csv } from "../media/csv.ts";
import { CARD_FILE } from "../media/files.ts";
import { caseNoun } from "../words/columns.ts";
import { foundLines } from "../words/head.ts";
import { placeWords } from "../words/names.ts";
import { type CaseAtPlace, casePage } from "./case-page.ts";
import { ARCHIVE_FILE, INDEX_FILE, RUNS_FOLDER, STANDING_FILE } from "./folder.ts";
import { historiesOf, standingRuns } from "./histories.ts";
import { caseFile, type PageParts, reportCell } from "./place.ts";
import type { GalleryRun } from "./series.ts";
import css from "./site.css";
import { indexPage } from "./standing.ts";

/** Repositories whose host has forms for issues: other hosts have other addresses of them. */
const HAS_FORMS = /^https:\/\/github\.com\//;

/** A file of a gallery. */
export interface SitePage {
  /** Path in the gallery's folder, with "/" between its parts. */
  readonly file: string;
  /** The page's text. */
  readonly content: string;
}

/** All that the pages of a gallery are made of. */
export interface SiteContent {
  readonly newestFirst: readonly GalleryRun[];
  /** What other machines found, the newest first. */
  readonly contributed: readonly Facts[];
  /** Address where the gallery is published, with a slash at its end; null where nobody said. */
  readonly base: string | null;
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
    page(INDEX_FILE, indexPage(histories, content.contributed)),
    page(ARCHIVE_FILE, archivePage(newestFirst)),
    ...[...cases].map(([id, atPlaces]) => page(caseFile(id), casePage(atPlaces))),
    { file: STANDING_FILE, content: csv(...histories.flatMap(standingRuns)) },
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

function archivePage(newestFirst: readonly GalleryRun[]): PageParts {
  const rows = newestFirst.map((record): readonly TableCell[] => [
    reportCell(record),
    foundLines(record.facts).join(" "),
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
