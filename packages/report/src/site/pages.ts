import { EVENBENCH } from "@evenbench/core/called";
import type { SummaryRow } from "@evenbench/results";
import { VERDICTS } from "@evenbench/stats";
import { sentencesOf } from "../answer.ts";
import { counted, formatMs, formatRatio, listed, shortRange } from "../format.ts";
import { htmlDocument, linkPreview } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { colourMark } from "../html/pieces.ts";
import { intervalBar, scaleAxis, scaleOf } from "../html/scale.ts";
import { markedRange, markWords } from "../marks.ts";
import { CARD_FILE } from "../names.ts";
import { type Cell, htmlTable } from "../table.ts";
import { historyFigures } from "./figures.ts";
import {
  type CaseCourse,
  type GalleryRun,
  type History,
  historiesOf,
  isCompared,
  isDeployed,
  machineName,
  type Standing,
  standingOf,
  type TargetCourse,
} from "./standing.ts";

const CHANGES = 5;
export const RUNS = "runs";
export const CASES = "case";

interface SiteData {
  readonly newestFirst: readonly GalleryRun[];
  readonly histories: readonly History[];
  /** Where it is published, with a slash at its end; null where nobody said. */
  readonly base: string | null;
}

/** By their places in the gallery's folder. */
export function sitePages(newestFirst: readonly GalleryRun[], base: string | null) {
  const site = { newestFirst, histories: historiesOf(newestFirst), base };
  const cases = Map.groupBy(
    site.histories.flatMap((history) => history.cases.map((course) => ({ course, history }))),
    ({ course }) => course.id,
  );
  return new Map([
    ["index.html", indexPage(site)],
    ["archive.html", archivePage(site)],
    ["standing.json", standingJson(site)],
    ...(base === null ? [] : ([["feed.xml", feed({ ...site, base })]] as const)),
    ...[...cases].map(([id, own]) => [caseFile(id), casePage(own, site)] as const),
  ]);
}

function page(
  { newestFirst, base }: SiteData,
  file: string,
  title: string,
  description: string,
  body: Markup,
) {
  const up = "../".repeat(file.split("/").length - 1);
  const pictured = newestFirst.find(({ isWhole }) => isWhole)?.run.id;
  const head = linkPreview({
    ...{ kind: "website", title, description },
    ...(base !== null && { url: base + file, feed: `${base}feed.xml` }),
    ...(base !== null && pictured !== undefined && { image: `${base}${RUNS}/${pictured}/${CARD_FILE}` }),
  });
  const whole = html`${body}
<footer><a href="${up}index.html">Current standing</a> · <a href="${up}archive.html">All runs</a> · <a href="${up}standing.json">JSON</a>${base === null ? null : html` · <a href="${up}feed.xml">Feed</a>`}. Made by <code>${EVENBENCH} site</code>; these pages load nothing from elsewhere.</footer>`;
  return htmlDocument(title, whole, SITE_STYLE, { head });
}

function sentencesOfCases(cases: History["cases"]): readonly string[] {
  const found = cases.flatMap(({ baseline, current }) =>
    current.map(({ name, verdict, ratio }) => ({ target: name, baseline, verdict, ratio })),
  );
  return sentencesOf(found, (name) => name);
}

function basis({ name, isDeployed, runs, changes, from }: History): string {
  const pooled = runs.slice(from);
  const dates = [...new Set([pooled[0], pooled.at(-1)].map(dayOf))].join(" to ");
  const unproven = [...new Set(pooled.flatMap(({ summary }) => summary.unproven ?? []))];
  const since = from === 0 || changes.at(-1)?.index !== from ? "" : ", since versions changed last";
  const where = isDeployed
    ? "Deployed, measured over the network from"
    : "Local, not the platforms' networks or hardware:";
  return [`${where} ${name}.`, `${counted(pooled.length, "run")}, ${dates}${since}.`, ...unproven].join(" ");
}

function indexPage(site: SiteData): string {
  const shown = [false, true].flatMap(
    (isDeployed) => site.histories.find((one) => one.isDeployed === isDeployed) ?? [],
  );
  const [main] = shown;
  const sentences = main === undefined ? [] : sentencesOfCases(main.cases);
  const others = site.histories.filter((one) => !shown.includes(one));
  const body = html`<header><h1><strong>Evenbench</strong> · how the same JavaScript runs on several platforms</h1>
<p class="answer">${sentences.length === 0 ? "Nothing was compared." : sentences.join(" ")}</p></header>
<main>${shown.map(standingSection)}
${shown.map((history) => changesSection(history))}
<p class="lead"><a href="archive.html">All ${counted(site.newestFirst.length, "run")}</a>${others.length === 0 ? "" : ` also of ${listed(others.map(({ name }) => name))}`}.</p></main>`;
  const title = sentences[0] ?? "Evenbench";
  const description = `${sentences.join(" ")} ${main === undefined ? "" : basis(main)}`.trim();
  return page(site, "index.html", title, description, body);
}

function standingSection(history: History): Markup {
  const { cases, versions } = history;
  const id = history.isDeployed ? "deployed" : "local";
  const compared = cases.flatMap(({ time }) => time.filter(isCompared));
  const colours = new Map(compared.map(({ name, colour }) => [name, colour]));
  const rows = cases.map(({ id, title, current }): readonly Cell[] => [
    { text: id, html: html`<a href="${caseLink(id)}">${id}</a> <small>${title}</small>` },
    ...[...colours.keys()].map((name) => standingCell(current.find((one) => one.name === name))),
  ]);
  const head: readonly Cell[] = [
    `Time against ${listed([...new Set(cases.map(({ baseline }) => baseline))])}`,
    ...[...colours].map(([text, colour]) => ({ text, html: colourMark(text, colour) })),
  ];
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${history.isDeployed ? "Deployed" : "On one machine"}</h2>
<p class="lead">${basis(history)} ${versions.map(({ name, version }) => `${name} ${version}`).join(" · ")}</p>
${htmlTable(`Current standing, ${history.name}`, { head, rows }, "standing")}
<p class="key">Coloured: decided. −25 %: 25 % less time. Brackets: 99 % interval. Runs are pooled by how certain each is and by how much they differ. ${VERDICTS.map((verdict) => `${markWords(verdict)} `)}</p></section>
`;
}

function standingCell(standing: Standing | undefined): Cell {
  if (standing === undefined) return "–";
  return { text: markedRange(standing), className: `number ${standing.verdict.replace(" ", "-")}` };
}

function changesSection({ changes, isDeployed }: History): Markup | null {
  if (changes.length === 0) return null;
  const id = `changed-${isDeployed ? "deployed" : "local"}`;
  const newest = changes.toReversed().slice(0, CHANGES);
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Changed since</h2><ul class="changes">${newest.map(
    ({ run, what }) => html`<li>${dayOf(run)}: ${what}</li>`,
  )}</ul></section>`;
}

function dayOf(run: GalleryRun | undefined): string {
  return run?.run.startedAt.slice(0, 10) ?? "";
}

function when({ run }: GalleryRun): string {
  return `${run.startedAt.slice(0, 16).replace("T", " ")} UTC`;
}

/** Ids come from files: what is no name of a file is written as one. */
function caseFile(id: string): string {
  return `${CASES}/${encodeURIComponent(id)}.html`;
}

function caseLink(id: string): string {
  return `${CASES}/${encodeURIComponent(encodeURIComponent(id))}.html`;
}

interface OneCourse {
  readonly course: CaseCourse;
  readonly history: History;
}

function casePage(own: readonly OneCourse[], site: SiteData): string {
  const [{ course }] = own as [OneCourse];
  const { id, title, source } = course;
  const sentences = sentencesOfCases([course]);
  const body = html`<header><h1><strong>Evenbench</strong> · ${title} <code>${id}</code></h1>
<p class="answer">${sentences.join(" ") || "Nothing was compared."}</p>
<p class="lead">${source === null ? null : html`<a href="${source}">Source</a> · `}Measure it: <code>npm run bench -- --case ${id}</code></p></header>
<main>${own.map(courseSection)}</main>`;
  return page(site, caseFile(id), `${id}: ${sentences[0] ?? title}`, sentences.join(" "), body);
}

function courseSection({ course, history }: OneCourse, place: number): Markup {
  const { runs, title } = history;
  const id = `machine-${place + 1}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="lead">${basis(history)}</p>
${picture(course, title)}
${beforeAndAfter(course, history)}
<h3>History</h3>
<p class="legend">${course.time.map(({ name, colour }) => html`${colourMark(name, colour)} `)}</p>
${runs.length < 2 ? html`<p class="key">A history needs two runs.</p>` : historyFigures(course, history)}
<details class="numbers"><summary>Numbers of ${counted(runs.length, "run")}</summary>${numbersTable(course, history)}</details></section>
`;
}

function picture({ id, baseline, current }: CaseCourse, series: string): Markup | null {
  if (current.length === 0) return null;
  const scale = scaleOf(current);
  const rows = current.map((one): readonly Cell[] => {
    const bar = intervalBar(one, scale, { colour: one.colour, isControl: false, label: one.name });
    return [
      { text: one.name, html: colourMark(one.name, one.colour) },
      standingCell(one),
      { text: "", html: bar, className: "bar" },
    ];
  });
  const drawn = html`<span class="visually-hidden">Drawn</span>${scaleAxis(scale)}`;
  const head = [`Time against ${baseline}`, "99 % interval", { text: "", html: drawn, className: "bar" }];
  return htmlTable(`${id} now, ${series}`, { head, rows }, "standing now");
}

function beforeAndAfter({ id, time }: CaseCourse, { changes, title }: History): Markup | null {
  const compared = time.filter(isCompared);
  if (changes.length === 0) return null;
  const wordsOf = (points: TargetCourse["points"]) => {
    const standing = standingOf(points);
    return standing?.ratio == null ? (standing?.verdict ?? "–") : shortRange(standing.ratio);
  };
  const rows = changes.map(({ index, number, what, run }, place) => {
    const [since, until] = [changes[place - 1]?.index, changes[place + 1]?.index];
    const words = compared.map(
      ({ points }) => `${wordsOf(points.slice(since, index))} → ${wordsOf(points.slice(index, until))}`,
    );
    return [`${number}. ${dayOf(run)}`, what, ...words];
  });
  const head = ["Changed since", "What", ...compared.map(({ name }) => name)];
  return htmlTable(`What changed for ${id}, ${title}`, { head, rows: rows.toReversed() }, "changes");
}

function numbersTable({ id, baseline, time, cpuTime }: CaseCourse, { runs, title }: History): Markup {
  const compared = time.filter(({ points }) => points.some((row) => row?.ratio != null));
  const pointsOf = (courses: readonly TargetCourse[], target: string) =>
    courses.find(({ name }) => name === target)?.points ?? [];
  const columns = compared.flatMap(({ name, points }) => [
    { title: `${name}, time`, points },
    { title: `${name}, CPU time`, points: pointsOf(cpuTime, name) },
  ]);
  const own = pointsOf(time, baseline);
  const rows = runs.map((run, index): readonly Cell[] => [
    { text: when(run), html: reportLink(run, "../") },
    formatMs(own[index]?.medianMs ?? null),
    ...columns.map(({ points }) => ratioWords(points[index])),
  ]);
  const head = ["Run", baseline, ...columns.map((column) => column.title)];
  return htmlTable(`Numbers of ${id}, ${title}`, { head, rows: rows.toReversed() });
}

/** What is stored of a verdict is text: what no verdict is, is none. */
function ratioWords({ ratio, verdict }: Partial<SummaryRow> = {}): string {
  const known = VERDICTS.find((one) => one === verdict);
  return `${formatRatio(ratio ?? null)}${known === undefined ? "" : ` ${markWords(known)}`}`;
}

function reportLink(run: GalleryRun, up = ""): Markup {
  return run.isWhole
    ? html`<a href="${up}${RUNS}/${run.run.id}/report.html">${when(run)}</a>`
    : html`${when(run)}`;
}

function archivePage(site: SiteData): string {
  const machines = new Set(site.newestFirst.map(({ machine }) => machineName(machine)));
  const rows = site.newestFirst.map((one): readonly Cell[] => {
    const { run, summary, machine } = one;
    return [
      { text: when(one), html: reportLink(one) },
      answerOf(one),
      `${isDeployed(run) ? "deployed, from " : ""}${machineName(machine)}, ${machine.system}`,
      counted(new Set(summary.rows.map(({ caseId }) => caseId)).size, "case"),
      summary.notices.length === 0 ? "none" : String(summary.notices.length),
    ];
  });
  const what = `${counted(site.newestFirst.length, "run")} on ${counted(machines.size, "machine")}`;
  const head = ["Run", "Answer", "Machine", "Cases", "Notices"];
  const body = html`<header><h1><strong>Evenbench</strong> · ${what}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return page(site, "archive.html", `Evenbench: ${what}`, `Evenbench: ${what}`, body);
}

function answerOf({ summary }: GalleryRun): string {
  return summary.answer ?? "Nothing was compared.";
}

function standingJson({ histories, base }: SiteData): string {
  const standings = histories.map((history) => ({
    machine: history.name,
    deployed: history.isDeployed,
    runs: history.runs.slice(history.from).map(({ run }) => run.id),
    versions: history.versions,
    cases: history.cases.map(({ id, title, baseline, current }) => ({
      id,
      title,
      baseline,
      page: `${base ?? ""}${caseLink(id)}`,
      targets: current.map(({ colour, ...standing }) => standing),
    })),
  }));
  return `${JSON.stringify({ schemaVersion: 1, standings }, null, 1)}\n`;
}

function feed({ histories, base, newestFirst }: SiteData & { readonly base: string }): string {
  const changes = histories.flatMap((history) => history.changes.map((one) => ({ ...one, history })));
  const newest = changes.sort((a, b) => (a.run.run.startedAt < b.run.run.startedAt ? 1 : -1));
  const entries = newest.slice(0, 4 * CHANGES).map(({ run, what, history: { isDeployed, name } }) => {
    const summary = `${answerOf(run)} ${isDeployed ? "Deployed, from" : "Local:"} ${name}.`;
    return html`<entry><id>${base}#${run.run.id}</id><title>${what}</title><updated>${run.run.startedAt}</updated><link href="${base}index.html"/><summary>${summary}</summary></entry>\n`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    html`<feed xmlns="http://www.w3.org/2005/Atom"><id>${base}</id><title>Evenbench: what changed</title><updated>${newestFirst[0]?.run.startedAt ?? ""}</updated><author><name>Evenbench</name></author><link rel="self" href="${base}feed.xml"/><link href="${base}index.html"/>
${entries}</feed>
`.text
  }`;
}

const SITE_STYLE = `
.answer a,.lead a,th a,footer a{text-decoration:underline}
.standing{width:auto}.standing.now{width:100%}.standing.now td{width:1%}.standing.now td.bar{width:70%}.standing th[scope=row] small{display:block;font-weight:400}
.standing td{font-size:16px;padding:8px 14px;white-space:nowrap}.standing td.faster{background:var(--faster-bg);color:var(--faster);font-weight:600}.standing td.slower{background:var(--slower-bg);color:var(--slower);font-weight:600}
.standing td.same{background:var(--plain-bg);font-weight:600}.standing td.inconclusive,.standing td.not-warm{color:var(--soft)}
.archive td:nth-child(2){min-width:24em}.changes{font-size:14px;color:var(--soft)}ul.changes{padding-left:20px}
.legend:empty{display:none}
@media screen and (max-width:900px){.standing td{white-space:normal;font-size:14px;padding:6px 8px}.standing th[scope=row]{overflow-wrap:anywhere}.standing thead th{padding-right:8px}.standing th .target{white-space:normal!important}}
`;
