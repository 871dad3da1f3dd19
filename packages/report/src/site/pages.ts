import { EVENBENCH } from "@evenbench/core/called";
import { sentencesOf } from "../answer.ts";
import { CARD_FILE } from "../card-file.ts";
import { counted, formatMs, formatRatio, listed, shortRange } from "../format.ts";
import { htmlDocument } from "../html/document.ts";
import { html, type Markup } from "../html/markup.ts";
import { colourMark } from "../html/pieces.ts";
import { intervalBar, scaleAxis, scaleOf } from "../html/scale.ts";
import { MARKS, markWords } from "../marks.ts";
import { type Cell, htmlTable } from "../table.ts";
import { historyFigures } from "./figures.ts";
import {
  type CaseCourse,
  comparedNames,
  currentFrom,
  type GalleryRun,
  type History,
  historiesOf,
  machineName,
  type Standing,
  standingOf,
  type TargetCourse,
  verdictOf,
} from "./standing.ts";

const CHANGES = 5;
export const RUNS = "runs";
export const CASES = "case";

export interface SiteData {
  readonly newestFirst: readonly GalleryRun[];
  readonly histories: readonly History[];
  /** Where it is published, with a slash at its end; null where nobody said. */
  readonly base: string | null;
}

export function siteData(newestFirst: readonly GalleryRun[], base: string | null): SiteData {
  return { newestFirst, histories: historiesOf(newestFirst), base };
}

interface SitePage {
  readonly file: string;
  readonly title: string;
  readonly description: string;
  readonly body: Markup;
}

function page({ newestFirst, base }: SiteData, { file, title, description, body }: SitePage): string {
  const up = "../".repeat(file.split("/").length - 1);
  const picture = newestFirst.find(({ isWhole }) => isWhole)?.entry.runId;
  const preview =
    base === null
      ? null
      : html`
<link rel="canonical" href="${base}${file}"><link rel="alternate" type="application/atom+xml" href="${base}feed.xml">
<meta property="og:url" content="${base}${file}">${picture === undefined ? null : html`<meta property="og:image" content="${base}${RUNS}/${picture}/${CARD_FILE}"><meta property="og:image:alt" content="${title}"><meta name="twitter:card" content="summary_large_image">`}`;
  const head = html`
<meta property="og:type" content="website"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}">${preview}`;
  const body_ = html`${body}
<footer><a href="${up}index.html">Current standing</a> · <a href="${up}archive.html">All runs</a> · <a href="${up}standing.json">JSON</a>${base === null ? null : html` · <a href="${up}feed.xml">Feed</a>`}. Made by <code>${EVENBENCH} site</code>; these pages load nothing from elsewhere.</footer>`;
  return htmlDocument(title, body_, SITE_STYLE, { head });
}

/** What stands now of each target that is compared. */
function cellsOf(course: CaseCourse, history: History) {
  const from = currentFrom(history);
  return course.time.flatMap((target) => {
    const standing = standingOf(target, from);
    return standing === null ? [] : [{ name: target.name, colour: target.colour, standing }];
  });
}

function currentOf(history: History) {
  return history.cases.map((course) => ({ course, cells: cellsOf(course, history) }));
}

function sentencesOfHistory(history: History): readonly string[] {
  return sentencesOf(
    currentOf(history).flatMap(({ course, cells }) =>
      cells.map(({ name, standing }) => ({ target: name, baseline: course.baseline, ...standing })),
    ),
    (name) => name,
  );
}

function basis({ name, isDeployed, runs, changes }: History, from: number): string {
  const pooled = runs.slice(from);
  const dates = [pooled[0], pooled.at(-1)].map((run) => run?.entry.startedAt.slice(0, 10) ?? "");
  const when = dates[0] === dates[1] ? dates[0] : `${dates[0]} to ${dates[1]}`;
  const unproven = [...new Set(pooled.flatMap(({ entry }) => entry.unproven ?? []))].map(
    (said) => ` ${said}`,
  );
  const since = from === 0 || changes.at(-1)?.index !== from ? "" : ", since versions changed last";
  return `${isDeployed ? "Deployed, measured over the network from" : "Local, not the platforms' networks or hardware:"} ${name}. ${counted(pooled.length, "run")}, ${when}${since}.${unproven.join("")}`;
}

export function indexPage(site: SiteData): string {
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
  const description =
    `${sentences.join(" ")} ${main === undefined ? "" : basis(main, currentFrom(main))}`.trim();
  return page(site, { file: "index.html", title, description, body });
}

function standingSection(history: History): Markup {
  const from = currentFrom(history);
  const names = comparedNames(history);
  const id = history.isDeployed ? "deployed" : "local";
  const versions = history.runs.at(-1)?.entry.versions ?? [];
  const colours = new Map(history.cases.flatMap(({ time }) => time.map((one) => [one.name, one.colour])));
  const rows = currentOf(history).map(({ course, cells }): readonly Cell[] => [
    {
      text: course.id,
      html: html`<a href="${caseLink(course.id)}">${course.id}</a> <small>${course.title}</small>`,
    },
    ...names.map((name) => standingCell(cells.find((one) => one.name === name)?.standing ?? null)),
  ]);
  const baselines = listed([...new Set(history.cases.map(({ baseline }) => baseline))]);
  const head: readonly Cell[] = [
    `Time against ${baselines}`,
    ...names.map((name) => ({ text: name, html: colourMark(name, colours.get(name) ?? 0) })),
  ];
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${history.isDeployed ? "Deployed" : "On one machine"}</h2>
<p class="lead">${basis(history, from)} ${versions.map(({ name, version }) => `${name} ${version}`).join(" · ")}</p>
${htmlTable(`Current standing, ${history.name}`, { head, rows }, "standing")}
<p class="key">Coloured: decided. −25 %: 25 % less time. Brackets: 99 % interval. Runs are pooled by how certain each is and by how much they differ. ${Object.keys(MARKS).map((verdict) => `${markWords(verdict as keyof typeof MARKS)} `)}</p></section>
`;
}

function standingCell(standing: Standing | null): Cell {
  if (standing === null) return "–";
  const { verdict, ratio } = standing;
  const text =
    ratio === null || verdict === "not warm"
      ? markWords(verdict)
      : `${MARKS[verdict].sign} ${shortRange(ratio)}`;
  return { text, className: `number ${verdict.replace(" ", "-")}` };
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
  return run?.entry.startedAt.slice(0, 10) ?? "";
}

function when(run: GalleryRun): string {
  return `${run.entry.startedAt.slice(0, 16).replace("T", " ")} UTC`;
}

/** Ids come from files: what is no name of a file is written as one. */
function caseFile(id: string): string {
  return `${CASES}/${encodeURIComponent(id)}.html`;
}

function caseLink(id: string): string {
  return `${CASES}/${encodeURIComponent(encodeURIComponent(id))}.html`;
}

export function casePages(site: SiteData): ReadonlyMap<string, string> {
  const all = site.histories.flatMap(({ cases }) => cases);
  return new Map(
    [...Map.groupBy(all, ({ id }) => id)].map(([id, [course]]) => [
      caseFile(id),
      casePage(id, course as CaseCourse, site),
    ]),
  );
}

function casePage(id: string, { title, source }: CaseCourse, site: SiteData): string {
  const own = site.histories.flatMap((history) => {
    const course = history.cases.find((one) => one.id === id);
    return course === undefined ? [] : [{ history, course }];
  });
  const [first] = own;
  const sentences =
    first === undefined ? [] : sentencesOfHistory({ ...first.history, cases: [first.course] });
  const body = html`<header><h1><strong>Evenbench</strong> · ${title} <code>${id}</code></h1>
<p class="answer">${sentences.join(" ") || "Nothing was compared."}</p>
<p class="lead">${source === null ? null : html`<a href="${source}">Source</a> · `}Measure it: <code>npm run bench -- --case ${id}</code></p></header>
<main>${own.map(({ history, course }, place) => courseSection(course, history, place))}</main>`;
  const claim = sentences[0] ?? title;
  return page(site, { file: caseFile(id), title: `${id}: ${claim}`, description: sentences.join(" "), body });
}

function courseSection(course: CaseCourse, history: History, place: number): Markup {
  const { runs } = history;
  const id = `machine-${place + 1}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${seriesName(history)}</h2>
<p class="lead">${basis(history, currentFrom(history))}</p>
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
  const { id, baseline } = course;
  const known = cellsOf(course, history);
  if (known.length === 0) return null;
  const scale = scaleOf(
    known.flatMap(({ standing: { ratio } }) => (ratio === null ? [] : [ratio.low, ratio.high])),
  );
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
  const compared = time.filter(({ points }) => points.some(({ verdict }) => verdict !== null));
  if (changes.length === 0) return null;
  const wordsOf = (target: TargetCourse, from: number, to: number) => {
    const standing = standingOf(target, from, to);
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
    ? html`<a href="${up}${RUNS}/${run.entry.runId}/report.html">${when(run)}</a>`
    : html`${when(run)}`;
}

export function archivePage(site: SiteData): string {
  const machines = new Set(site.newestFirst.map(({ entry }) => machineName(entry.machine)));
  const rows = site.newestFirst.map((run): readonly Cell[] => {
    const { answer, unproven, machine, notices, cases, targets } = run.entry;
    const deployed = targets.some(({ place }) => place === "url") ? "deployed, from " : "";
    return [
      { text: when(run), html: reportLink(run) },
      unproven === undefined ? answer : `${answer} ${unproven}`,
      `${deployed}${machineName(machine)}, ${machine.system}`,
      counted(cases.length, "case"),
      notices === 0 ? "none" : String(notices),
    ];
  });
  const title = `Evenbench: ${counted(site.newestFirst.length, "run")} on ${counted(machines.size, "machine")}`;
  const head = ["Run", "Answer", "Machine", "Cases", "Notices"];
  const body = html`<header><h1><strong>Evenbench</strong> · ${counted(site.newestFirst.length, "run")} on ${counted(machines.size, "machine")}</h1></header>
<main>${htmlTable("All runs", { head, rows }, "archive")}</main>`;
  return page(site, { file: "archive.html", title, description: title, body });
}

export function standingJson({ histories, base }: SiteData): string {
  const standings = histories.map((history) => ({
    machine: history.name,
    deployed: history.isDeployed,
    runs: history.runs.slice(currentFrom(history)).map(({ entry }) => entry.runId),
    versions: history.runs.at(-1)?.entry.versions ?? [],
    cases: currentOf(history).map(({ course: { id, title, baseline }, cells }) => ({
      id,
      title,
      baseline,
      page: `${base ?? ""}${caseLink(id)}`,
      targets: cells.map(({ name, standing }) => ({ name, ...standing })),
    })),
  }));
  return `${JSON.stringify({ schemaVersion: 1, standings }, null, 1)}\n`;
}

export function feed({ histories, base, newestFirst }: SiteData & { readonly base: string }): string {
  const entries = histories
    .flatMap((history) =>
      history.changes.map(({ index, what }) => ({ run: history.runs[index], what, history })),
    )
    .flatMap(({ run, what, history }) => (run === undefined ? [] : [{ run, what, history }]))
    .sort((a, b) => (a.run.entry.startedAt < b.run.entry.startedAt ? 1 : -1))
    .slice(0, 4 * CHANGES)
    .map(
      ({
        run: { entry },
        what,
        history,
      }) => html`<entry><id>${base}#${entry.runId}</id><title>${what.join("; ")}</title><updated>${entry.startedAt}</updated><link href="${base}index.html"/><summary>${entry.answer} ${history.isDeployed ? "Deployed, from" : "Local:"} ${history.name}.</summary></entry>
`,
    );
  const [newest] = newestFirst;
  return `<?xml version="1.0" encoding="utf-8"?>\n${
    html`<feed xmlns="http://www.w3.org/2005/Atom"><id>${base}</id><title>Evenbench: what changed</title><updated>${newest?.entry.startedAt ?? ""}</updated><author><name>Evenbench</name></author><link rel="self" href="${base}feed.xml"/><link href="${base}index.html"/>
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
