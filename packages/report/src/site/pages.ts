import { EVENBENCH } from "@evenbench/core/called";
import { VERDICTS } from "@evenbench/stats";
import { sentencesOf } from "../answer.ts";
import { counted, formatMs, formatRatio, listed, shortRange } from "../format.ts";
import { htmlDocument, linkPreview } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { colourMark } from "../html/pieces.ts";
import { markedRange, markWords } from "../marks.ts";
import { CARD_FILE, versionsOf } from "../names.ts";
import { type Cell, htmlTable } from "../table.ts";
import { historyFigures } from "./figures.ts";
import {
  type GalleryRun,
  type History,
  historiesOf,
  type Standing,
  seriesName,
  standingOf,
  type TargetCourse,
} from "./standing.ts";

const CHANGES = 5;
export const RUNS = "runs";
export const CASES = "case";

type CaseCourse = History["cases"][number];

interface OneCase {
  readonly course: CaseCourse;
  readonly history: History;
}

/** By their places in the gallery's folder. @param base where it is published; null where nobody said. */
export function sitePages(newestFirst: readonly GalleryRun[], base: string | null) {
  const histories = historiesOf(newestFirst);
  const cases = Map.groupBy(
    histories.flatMap((history) => history.cases.map((course) => ({ course, history }))),
    ({ course }) => course.id,
  );
  const pictured = newestFirst.find(({ isWhole }) => isWhole)?.run.id;
  const page = (file: string, { title, description, body }: ReturnType<typeof indexPage>) => {
    const up = "../".repeat(file.split("/").length - 1);
    const head = linkPreview({
      ...{ kind: "website", title, description },
      ...(base !== null && { url: base + file }),
      ...(base !== null && pictured !== undefined && { image: `${base}${RUNS}/${pictured}/${CARD_FILE}` }),
    });
    const whole = html`${body}
<footer><a href="${up}index.html">Current standing</a> · <a href="${up}archive.html">All runs</a>. Made by <code>${EVENBENCH} site</code>; these pages load nothing from elsewhere.</footer>`;
    return [file, htmlDocument(title, whole, SITE_STYLE, { head })] as const;
  };
  return [
    page("index.html", indexPage(histories, newestFirst)),
    page("archive.html", archivePage(newestFirst)),
    ...[...cases].map(([id, own]) => page(caseFile(id), casePage(own))),
  ];
}

function sentencesOfCases(cases: History["cases"]): readonly string[] {
  const found = cases.flatMap(({ time }) =>
    time.flatMap(({ name: target, baseline, current }) => current && { target, baseline, ...current }),
  );
  const sentences = sentencesOf(
    found.filter((one) => one !== null),
    (name) => name,
  );
  return sentences.length === 0 ? [NOTHING] : sentences;
}

const NOTHING = "Nothing was compared.";

function basis({ name, isDeployed, runs, changes, from }: History): string {
  const pooled = runs.slice(from);
  const dates = new Set([pooled[0], pooled.at(-1)].map((one) => one?.run.startedAt.slice(0, 10)));
  const unproven = new Set(pooled.flatMap(({ summary }) => summary.unproven ?? []));
  const since = from === 0 || changes.at(-1)?.index !== from ? "" : ", since versions changed last";
  const where = isDeployed
    ? `${name}, over the network`
    : `Local, not the platforms' networks or hardware: ${name}`;
  return [
    `${where}.`,
    `${counted(pooled.length, "run")}, ${[...dates].join(" to ")}${since}.`,
    ...unproven,
  ].join(" ");
}

function indexPage(histories: readonly History[], newestFirst: readonly GalleryRun[]) {
  const shown = [false, true].flatMap(
    (isDeployed) => histories.find((one) => one.isDeployed === isDeployed) ?? [],
  );
  const [main] = shown as [History];
  const sentences = sentencesOfCases(main.cases);
  const others = histories.filter((one) => !shown.includes(one)).map(({ name }) => name);
  const body = html`<header><h1><strong>Evenbench</strong> · how the same JavaScript runs on several platforms</h1>
<p class="answer">${sentences.join(" ")}</p></header>
<main>${shown.map(standingSection)}
<p class="lead"><a href="archive.html">All ${counted(newestFirst.length, "run")}</a>${others.length === 0 ? "" : ` also of ${listed(others)}`}.</p></main>`;
  return { title: sentences[0] ?? "", description: `${sentences.join(" ")} ${basis(main)}`, body };
}

function standingSection(history: History): Markup {
  const { isDeployed, cases, changes, runs } = history;
  const id = isDeployed ? "deployed" : "local";
  const newest = runs.at(-1)?.run;
  const versions = newest === undefined ? [] : versionsOf(newest);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${isDeployed ? "Deployed" : "On one machine"}</h2>
<p class="lead">${basis(history)} ${versions.map(({ name, version }) => `${name} ${version}`).join(" · ")}</p>
${standingTable(cases, history, "")}
<p class="key">Coloured: decided. −25 %: 25 % less time. Brackets: 99 % interval. Runs are pooled by how certain each is and by how much they differ. ${VERDICTS.map((verdict) => `${markWords(verdict)} `)}</p>
<ul class="changes">${changes
    .toReversed()
    .slice(0, CHANGES)
    .map(({ day, what }) => html`<li>${day}: ${what}</li>`)}</ul></section>
`;
}

function standingTable(cases: History["cases"], { name }: History, up: string): Markup {
  const compared = cases.flatMap(({ time }) => time.filter(({ isCompared }) => isCompared));
  const columns = new Map(compared.map((one) => [one.name, one.colour]));
  const rows = cases.map(({ id, title, time }): readonly Cell[] => [
    { text: id, html: html`<a href="${up}${caseLink(id)}">${id}</a> <small>${title}</small>` },
    ...[...columns.keys()].map((target) => standingCell(time.find((one) => one.name === target)?.current)),
  ]);
  const baselines = new Set(cases.flatMap(({ time }) => time.map(({ baseline }) => baseline)));
  const head: readonly Cell[] = [
    `Time against ${listed([...baselines])}`,
    ...[...columns].map(([text, colour]) => ({ text, html: colourMark(text, colour) })),
  ];
  return htmlTable(`Current standing, ${name}`, { head, rows }, "standing");
}

function standingCell(standing: Standing | null | undefined): Cell {
  if (standing == null) return "–";
  return { text: markedRange(standing), className: `number ${standing.verdict.replace(" ", "-")}` };
}

/** Ids come from files: what is no name of a file is written as one. */
function caseFile(id: string): string {
  return `${CASES}/${encodeURIComponent(id)}.html`;
}

function caseLink(id: string): string {
  return `${CASES}/${encodeURIComponent(encodeURIComponent(id))}.html`;
}

function casePage(own: readonly OneCase[]) {
  const [{ course }] = own as [OneCase];
  const { id, title, source } = course;
  const answer = sentencesOfCases([course]).join(" ");
  const body = html`<header><h1><strong>Evenbench</strong> · ${title} <code>${id}</code></h1>
<p class="answer">${answer}</p>
<p class="lead">${source === null ? null : html`<a href="${source}">Source</a> · `}Measure it: <code>npm run bench -- --case ${id}</code></p></header>
<main>${own.map(courseSection)}</main>`;
  return { title: `${id}: ${answer}`, description: answer, body };
}

function courseSection({ course, history }: OneCase, place: number): Markup {
  const { runs, name } = history;
  const id = `machine-${place + 1}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${name}</h2>
<p class="lead">${basis(history)}</p>
${standingTable([course], history, "../")}
${history.changes.length === 0 ? null : beforeAndAfter(course, history)}
<h3>History</h3>
<p class="legend">${course.time.map((one) => html`${colourMark(one.name, one.colour)} `)}</p>
${historyFigures(course, history)}
<details class="numbers"><summary>Numbers of ${counted(runs.length, "run")}</summary>${numbersTable(course, history)}</details></section>
`;
}

function beforeAndAfter({ id, time }: CaseCourse, { changes, name }: History): Markup {
  const compared = time.filter(({ isCompared }) => isCompared);
  const wordsOf = (points: TargetCourse["points"]) => {
    const standing = standingOf(points);
    return standing?.ratio == null ? (standing?.verdict ?? "–") : shortRange(standing.ratio);
  };
  const rows = changes.map(({ index: at, number, what, day }, place) => {
    const { index: since = 0 } = changes[place - 1] ?? {};
    const { index: until = Number.POSITIVE_INFINITY } = changes[place + 1] ?? {};
    const words = compared.map(({ points }) => {
      const before = points.filter(({ index }) => index >= since && index < at);
      return `${wordsOf(before)} → ${wordsOf(points.filter(({ index }) => index >= at && index < until))}`;
    });
    return [`${number}. ${day}`, what, ...words];
  });
  const head = ["Changed since", "What", ...compared.map((one) => one.name)];
  return htmlTable(`What changed for ${id}, ${name}`, { head, rows: rows.toReversed() }, "changes");
}

function numbersTable({ id, time, cpuTime }: CaseCourse, { runs, name }: History): Markup {
  const columns = [
    ...time.map((one) => ({ ...one, title: `${one.name}, time` })),
    ...cpuTime.map((one) => ({ ...one, title: `${one.name}, CPU time` })),
  ];
  const rows = runs.map((run, at): readonly Cell[] => [
    { text: when(run), html: reportLink(run, "../") },
    ...columns.map(({ points }) => {
      const { medianMs = null, ratio = null, verdict } = points.find(({ index }) => index === at)?.row ?? {};
      return ratio === null ? formatMs(medianMs) : `${formatRatio(ratio)} ${verdict}`;
    }),
  ]);
  const head = ["Run", ...columns.map(({ title }) => title)];
  return htmlTable(`Numbers of ${id}, ${name}`, { head, rows: rows.toReversed() });
}

function when({ run }: GalleryRun): string {
  return `${run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
}

function reportLink(run: GalleryRun, up = ""): Markup {
  return run.isWhole
    ? html`<a href="${up}${RUNS}/${run.run.id}/report.html">${when(run)}</a>`
    : html`${when(run)}`;
}

function archivePage(newestFirst: readonly GalleryRun[]) {
  const rows = newestFirst.map((one): readonly Cell[] => [
    { text: when(one), html: reportLink(one) },
    one.summary.answer ?? NOTHING,
    `${seriesName(one)}, ${one.machine.system}`,
    counted(new Set(one.summary.rows.map(({ caseId }) => caseId)).size, "case"),
    String(one.summary.notices.length),
  ]);
  const title = `Evenbench: ${counted(rows.length, "run")}`;
  const head = ["Run", "Answer", "Machine", "Cases", "Notices"];
  const body = html`<header><h1><strong>Evenbench</strong> · ${counted(rows.length, "run")}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return { title, description: title, body };
}

const SITE_STYLE = `
.answer a,.lead a,th a,footer a{text-decoration:underline}
.standing{width:auto}.standing th[scope=row] small{display:block;font-weight:400}
.standing td{font-size:16px;padding:8px 14px;white-space:nowrap}.standing td.faster{background:var(--faster-bg);color:var(--faster);font-weight:600}.standing td.slower{background:var(--slower-bg);color:var(--slower);font-weight:600}
.standing td.same{background:var(--plain-bg);font-weight:600}.standing td.inconclusive,.standing td.not-warm{color:var(--soft)}
.archive td:nth-child(2){min-width:24em}.changes{font-size:14px;color:var(--soft)}ul.changes{padding-left:20px}
.legend:empty{display:none}
@media screen and (max-width:900px){.standing td{white-space:normal;font-size:14px;padding:6px 8px}.standing th[scope=row]{overflow-wrap:anywhere}.standing thead th{padding-right:8px}.standing th .target{white-space:normal!important}}
`;
