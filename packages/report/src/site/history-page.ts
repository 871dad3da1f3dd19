import { counted, formatMs, formatRatio } from "../format.ts";
import { htmlDocument } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { colourMark } from "../html/pieces.ts";
import {
  type CaseCourse,
  type CoursePoint,
  historiesOf,
  type MachineHistory,
  type TargetCourse,
} from "./courses.ts";
import type { GalleryRun } from "./gallery-run.ts";
import { historyFigures } from "./history-figures.ts";
import { reportLink, SITE_STYLE, when } from "./shared.ts";

/** Newest runs of a machine that are drawn: more cannot be told apart in a figure, and would make the page slow. */
const DRAWN = 120;

/** Each case over the runs of a gallery, machine by machine. The same runs give the same bytes. */
export function historyPage(newestFirst: readonly GalleryRun[]): string {
  const machines = historiesOf(newestFirst, DRAWN);
  const body = html`<header><h1><strong>Evenbench</strong> · history of ${counted(newestFirst.length, "run")}</h1>
<p class="answer">Each case over all runs, machine by machine. <a href="index.html">All runs</a></p>
<p class="lead">A ratio compares targets within one run, where they took turns. A median time also has in it how the machine was at that time.</p></header>
<main>${machines.map(machineSection)}</main>
<footer>Made by <code>evenbench site</code> from summaries of runs.</footer>`;
  return htmlDocument("Evenbench history", body, SITE_STYLE);
}

function machineSection(machine: MachineHistory, place: number): Markup {
  const { name, count, runs, changes, cases } = machine;
  const [first, last] = [runs[0], runs.at(-1)].map((run) => run?.entry.startedAt.slice(0, 10) ?? "");
  const id = `machine-${place + 1}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
<p class="lead">${count > runs.length ? `The newest ${runs.length} of ` : ""}${counted(count, "run")}${first === last ? ` on ${first}` : `, ${first} to ${last}`}.</p>
${changes.length === 0 ? null : html`<ol class="changes">${changes.map(({ index, what }) => html`<li>${when(runs[index])}: ${what.join("; ")}</li>`)}</ol>`}
${cases.map((course) => caseSection(course, machine))}</section>
`;
}

function caseSection(course: CaseCourse, machine: MachineHistory): Markup {
  const { id, title, time } = course;
  return html`<article class="case"><h3>${title} <code>${id}</code></h3>
<p class="legend">${time.map(({ name, colour }) => html`${colourMark(name, colour)} `)}</p>
${historyFigures(course, machine)}
<details class="numbers"><summary>Numbers of ${id}</summary>${numbersTable(course, machine)}</details></article>
`;
}

function numbersTable({ id, baseline, time, cpuTime }: CaseCourse, { name, runs }: MachineHistory): Markup {
  const compared = time.filter(({ points }) => points.some(({ ratio }) => ratio !== null));
  const own = time.find((one) => one.name === baseline);
  const cpuOf = (target: string) => cpuTime.find((one) => one.name === target);
  const heads = compared.flatMap((one) => [`${one.name}, time`, `${one.name}, CPU time`]);
  const rows = runs.map((run, index) => ({ run, index })).reverse();
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Numbers of ${id} on ${name}"><table><thead><tr><th scope="col">Run</th><th scope="col">${baseline}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows.map(
    ({ run, index }) =>
      html`<tr><th scope="row">${reportLink(run, when(run))}</th><td>${formatMs(pointOf(own, index)?.medianMs ?? null)}</td>${compared.map((one) => html`<td>${ratioOf(one, index)}</td><td>${ratioOf(cpuOf(one.name), index)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function pointOf(course: TargetCourse | undefined, index: number): CoursePoint | undefined {
  return course?.points.find((point) => point.index === index);
}

function ratioOf(course: TargetCourse | undefined, index: number): string {
  const point = pointOf(course, index);
  const verdict = point?.verdict == null ? "" : ` ${point.verdict}`;
  return `${formatRatio(point?.ratio ?? null)}${verdict}`;
}
