// What the pages of a gallery have in common: the parts of a page, and the section of a place.
import { counted, html, type Markup, type TableCell } from "@evenbench/page";
import { REPORT_FILE } from "../media/files.ts";
import { dayOf, versionWords } from "../words/names.ts";
import { noticeLine } from "../words/notices.ts";
import { CASES_FOLDER, RUNS_FOLDER } from "./folder.ts";
import type { History } from "./histories.ts";
import type { GalleryRun } from "./series.ts";

/** The parts that differ between the pages of a gallery. */
export interface PageParts {
  /** Text of the page's title. */
  readonly title: string;
  /** Text of the page's description, which previews of links show. */
  readonly description: string;
  /** Everything above the footer. */
  readonly body: Markup;
}

/** Gives the path of a case's page in the gallery. */
export function caseFile(id: string): string {
  return `${CASES_FOLDER}/${id}.html`;
}

/** Says which runs a place's numbers come from. */
export function basis({ runs, allRuns: all, leftOut, hasFull, standing }: History): string {
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

/** Writes the section of one place. @param content its table, or its figures on the page of a case. */
export function placeSection(history: History, index: number, content: Markup): Markup {
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

/** Makes a cell with a run's date, which leads to its report. */
export function reportCell({ facts, name, hasReport }: GalleryRun, up = ""): TableCell {
  const text = `${facts.run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
  if (!hasReport) {
    return text;
  }
  return { text, html: html`<a href="${up}${RUNS_FOLDER}/${name}/${REPORT_FILE}">${text}</a>` };
}
