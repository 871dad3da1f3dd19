import { EVENBENCH } from "@evenbench/core/called";
import { sentencesOf } from "../answer.ts";
import { counted, formatMs, formatRatio, listed, shortRange } from "../format.ts";
import { htmlDocument, linkPreview } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { colourMark } from "../html/pieces.ts";
import { intervalBar, scaleAxis, scaleOf } from "../html/scale.ts";
import { MARKS, markedRange, markWords } from "../marks.ts";
import { CARD_FILE, versionsOf } from "../names.ts";
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
  verdictOf,
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

function sentencesOfHistory(history: History): readonly string[] {
  return sentencesOf(
    history.cases.flatMap(({ baseline, current }) =>
      current.map(({ name, standing }) => ({ target: name, baseline, ...standing })),
    ),
    (name) => name,
  );
}

function basis({ name, isDeployed, runs, changes, from }: History): string {
  const pooled = runs.slice(from);
  const dates = [...new Set([dayOf(pooled[0]), dayOf(pooled.at(-1))])].join(" to ");
  const unproven = [...new Set(pooled.flatMap(({ summary }) => summary.unproven ?? []))].map(
    (said) => ` ${said}`,
  );
  const since = from === 0 || changes.at(-1)?.index !== from ? "" : ", since versions changed last";
  return `${isDeployed ? "Deployed, measured over the network from" : "Local, not the platforms' networks or hardware:"} ${name}. ${counted(pooled.length, "run")}, ${dates}${since}.${unproven.join("")}`;
}

function indexPage(site: SiteData): string {
  const shown = [false, true].flatMap(
    (isDeployed) => site.histories.find((one) => one.isDeployed === isDeployed) ?? [],
  );
  const [main] = shown;
  const sentences = main === undefined ? [] : sentencesOfHistory(main);
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
  const id = history.isDeployed ? "deployed" : "local";
  const compared = history.cases.flatMap(({ time }) => time.filter(isCompared));
  const colours = new Map(compared.map(({ name, colour }) => [name, colour]));
  const rows = history.cases.map((course): readonly Cell[] => [
    {
      text: course.id,
      html: html`<a href="${caseLink(course.id)}">${course.id}</a> <small>${course.title}</small>`,
    },
    ...[...colours.keys()].map((name) =>
      standingCell(course.current.find((one) => one.name === name)?.standing ?? null),
    ),
  ]);
  const baselines = listed([...new Set(history.cases.map(({ baseline }) => baseline))]);
  const head: readonly Cell[] = [
    `Time against ${baselines}`,
    ...[...colours].map(([text, colour]) => ({ text, html: colourMark(text, colour) })),
  ];
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${history.isDeployed ? "Deployed" : "On one machine"}</h2>
<p class="lead">${basis(history)} ${newestVersions(history)
    .map(({ name, version }) => `${name} ${version}`)
    .join(" · ")}</p>
${htmlTable(`Current standing, ${history.name}`, { head, rows }, "standing")}
<p class="key">Coloured: decided. −25 %: 25 % less time. Brackets: 99 % interval. Runs are pooled by how certain each is and by how much they differ. ${Object.keys(MARKS).map((verdict) => `${markWords(verdict as keyof typeof MARKS)} `)}</p></section>
`;
}

function newestVersions({ runs }: History) {
  const newest = runs.at(-1)?.run;
  return newest === undefined ? [] : versionsOf(newest).map(({ name, version }) => ({ name, version }));
}

function standingCell(standing: Standing | null): Cell {
  if (standing === null) return "–";
  return { text: markedRange(standing), className: `number ${standing.verdict.replace(" ", "-")}` };
}

function changesSection(history: History): Markup | null {
  const { changes, runs, isDeployed } = history;
  if (changes.length === 0) return null;
  const id = `changed-${isDeployed ? "deployed" : "local"}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">Changed since</h2><ul class="changes">${changes
    .toReversed()
    .slice(0, CHANGES)
    .map(({ index, what }) => html`<li>${dayOf(runs[index])}: ${what.join("; ")}</li>`)}</ul></section>`;
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
  const [{ course, history: first }] = own as [OneCourse];
  const { id, title, source } = course;
  const sentences = sentencesOfHistory({ ...first, cases: [course] });
  const body = html`<header><h1><strong>Evenbench</strong> · ${title} <code>${id}</code></h1>
<p class="answer">${sentences.join(" ") || "Nothing was compared."}</p>
<p class="lead">${source === null ? null : html`<a href="${source}">Source</a> · `}Measure it: <code>npm run bench -- --case ${id}</code></p></header>
<main>${own.map(courseSection)}</main>`;
  return page(site, caseFile(id), `${id}: ${sentences[0] ?? title}`, sentences.join(" "), body);
}

function courseSection({ course, history }: OneCourse, place: number): Markup {
  const { runs } = history;
  const id = `machine-${place + 1}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${seriesName(history)}</h2>
<p class="lead">${basis(history)}</p>
${picture(course, history)}
${beforeAndAfter(course, history)}
<h3>History</h3>
<p class="legend">${course.time.map(({ name, colour }) => html`${colourMark(name, colour)} `)}</p>
${runs.length < 2 ? html`<p class="key">A history needs two runs.</p>` : historyFigures(course, history)}
<details class="numbers"><summary>Numbers of ${counted(runs.length, "run")}</summary>${numbersTable(course, history)}</details></section>
`;
}

function seriesName({ isDeployed, name }: History): string {
  return `${isDeployed ? "Deployed, from " : ""}${name}`;
}

function picture(course: CaseCourse, history: History): Markup | null {
  const { id, baseline, current: known } = course;
  if (known.length === 0) return null;
  const scale = scaleOf(known.map(({ standing }) => standing));
  const rows = known.map(({ name, colour, standing }): readonly Cell[] => [
    { text: name, html: colourMark(name, colour) },
    standingCell(standing),
    {
      text: "",
      html: intervalBar(standing, scale, { colour, isControl: false, label: name }),
      className: "bar",
    },
  ]);
  const axis = {
    text: "",
    html: html`<span class="visually-hidden">Drawn</span>${scaleAxis(scale)}`,
    className: "bar",
  };
  return htmlTable(
    `${id} now, ${seriesName(history)}`,
    { head: [`Time against ${baseline}`, "99 % interval", axis], rows },
    "standing now",
  );
}

function beforeAndAfter({ id, time }: CaseCourse, history: History): Markup | null {
  const { changes, runs } = history;
  const compared = time.filter(isCompared);
  if (changes.length === 0) return null;
  const wordsOf = (target: TargetCourse, from: number, to: number) => {
    const standing = standingOf(target.points, from, to);
    return standing?.ratio == null ? (standing?.verdict ?? "–") : shortRange(standing.ratio);
  };
  const rows = changes.map(({ index, number, what }, place) => {
    const [since, until] = [changes[place - 1]?.index ?? 0, changes[place + 1]?.index ?? runs.length];
    return [
      `${number}. ${dayOf(runs[index])}`,
      what.join("; "),
      ...compared.map((target) => `${wordsOf(target, since, index)} → ${wordsOf(target, index, until)}`),
    ];
  });
  const head = ["Changed since", "What", ...compared.map(({ name }) => name)];
  return htmlTable(
    `What changed for ${id}, ${seriesName(history)}`,
    { head, rows: rows.toReversed() },
    "changes",
  );
}

function numbersTable({ id, baseline, time, cpuTime }: CaseCourse, history: History): Markup {
  const { runs } = history;
  const compared = time.filter(({ points }) => points.some(({ ratio }) => ratio !== null));
  const own = time.find((one) => one.name === baseline);
  const cpuOf = (target: string) => cpuTime.find((one) => one.name === target);
  const head = [
    "Run",
    baseline,
    ...compared.flatMap((one) => [`${one.name}, time`, `${one.name}, CPU time`]),
  ];
  const rows = runs
    .map((run, index): readonly Cell[] => [
      { text: when(run), html: reportLink(run, "../") },
      formatMs(pointOf(own, index)?.medianMs ?? null),
      ...compared.flatMap((one) => [ratioCell(one, index), ratioCell(cpuOf(one.name), index)]),
    ])
    .reverse();
  return htmlTable(`Numbers of ${id}, ${seriesName(history)}`, { head, rows });
}

function pointOf(course: TargetCourse | undefined, index: number) {
  return course?.points.find((point) => point.index === index);
}

function ratioCell(course: TargetCourse | undefined, index: number): string {
  const point = pointOf(course, index);
  const verdict = verdictOf(point?.verdict ?? null);
  return `${formatRatio(point?.ratio ?? null)}${verdict === null ? "" : ` ${markWords(verdict)}`}`;
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
    versions: newestVersions(history),
    cases: history.cases.map(({ id, title, baseline, current }) => ({
      id,
      title,
      baseline,
      page: `${base ?? ""}${caseLink(id)}`,
      targets: current.map(({ name, standing }) => ({ name, ...standing })),
    })),
  }));
  return `${JSON.stringify({ schemaVersion: 1, standings }, null, 1)}\n`;
}

function feed({ histories, base, newestFirst }: SiteData & { readonly base: string }): string {
  const changes = histories.flatMap((history) =>
    history.changes.map(({ index, what }) => ({ one: history.runs[index] as GalleryRun, what, history })),
  );
  const entries = changes
    .sort((a, b) => (a.one.run.startedAt < b.one.run.startedAt ? 1 : -1))
    .slice(0, 4 * CHANGES)
    .map(
      ({
        one,
        what,
        history,
      }) => html`<entry><id>${base}#${one.run.id}</id><title>${what.join("; ")}</title><updated>${one.run.startedAt}</updated><link href="${base}index.html"/><summary>${answerOf(one)} ${history.isDeployed ? "Deployed, from" : "Local:"} ${history.name}.</summary></entry>
`,
    );
  const [newest] = newestFirst;
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    html`<feed xmlns="http://www.w3.org/2005/Atom"><id>${base}</id><title>Evenbench: what changed</title><updated>${newest?.run.startedAt ?? ""}</updated><author><name>Evenbench</name></author><link rel="self" href="${base}feed.xml"/><link href="${base}index.html"/>
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
