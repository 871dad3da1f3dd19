import { type CaseAnalysis, type Comparison, isDifference } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { formatRatio, listed, noiseBand } from "../format.ts";
import { caseLabels, platformNames, workGroups } from "../work.ts";
import { colourMark } from "./colour-mark.ts";
import { scaleAxis } from "./interval.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";
import { overviewScale, type RatioScale } from "./scale.ts";
import { term } from "./term.ts";

/** Height of one platform's line in a row, in pixels. */
const LINE_HEIGHT = 14;
const EDGE = 6;

const SIDES = html`<small>◀ less · more ▶</small>`;

interface Drawing {
  readonly data: ReportData;
  readonly scale: RatioScale;
  /** Names, in the order of every row, so that a platform always stands at the same height. */
  readonly platforms: readonly string[];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * The picture of the answer: a row for each kind of work, a dot with its interval for each platform; null
 * where nothing was compared.
 */
export function overview(data: ReportData): Markup | null {
  const compared = data.cases.filter(({ headline }) => (headline?.comparisons.length ?? 0) > 0);
  // Over vantages there is no ratio to draw: each case has its differences.
  if (compared.length === 0 || data.run.vantages !== undefined) return null;
  const names = platformNames(data.targets);
  const platforms = platformsOf(compared, data, names);
  const drawing = { data, scale: overviewScale(compared), platforms, names };
  const labels = caseLabels(data.cases);
  const hasCpu = compared.some(({ cpuTime }) => cpuTime !== null);
  const baselines = [...new Set(compared.map(({ baseline }) => names.get(baseline) ?? baseline))];
  const axis = scaleAxis(drawing.scale);
  return html`<div class="overview${hasCpu ? "" : " alone"}">
<table role="table" aria-label="Time and CPU time of each kind of work, relative to ${listed(baselines)}">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="work">${term("Kind of work", "overview", "kind of work")}</th><th role="columnheader" scope="col"><span class="what">Time ${SIDES}</span>${axis}</th>${hasCpu ? html`<th role="columnheader" scope="col"><span class="what">${term("CPU time", "overview", "CPU time")} ${SIDES}</span>${axis}</th>` : null}</tr></thead>
<tbody role="rowgroup">${workGroups(compared).flatMap(({ cases }) =>
    cases.map((report) => row(report, labels.get(report.manifest.id) ?? "", hasCpu, drawing)),
  )}</tbody></table>
${key(drawing, baselines)}</div>`;
}

/** What stands in a row from top to bottom: names of platforms in the order of the targets, without the baselines. */
function platformsOf(
  cases: readonly CaseReport[],
  { targets }: ReportData,
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const compared = new Set(
    cases.flatMap(({ headline }) => headline?.comparisons.map(({ target }) => target)),
  );
  const own = targets.filter(({ name }) => compared.has(name)).map(({ name }) => names.get(name) ?? name);
  return [...new Set(own)];
}

function row(report: CaseReport, label: string, hasCpu: boolean, drawing: Drawing): Markup {
  const { manifest, kindOfWork, headline, cpuTime } = report;
  return html`<tr role="row"><th role="rowheader" scope="row" class="work"><a href="#case-${manifest.id}" title="${manifest.title}">${kindOfWork}${label === kindOfWork ? null : html` <small>${manifest.id}</small>`}${manifest.notSameCode === null ? null : " *"}</a></th><td role="cell">${panel(headline, `${label}, time`, drawing)}</td>${hasCpu ? html`<td role="cell">${panel(cpuTime, `${label}, CPU time`, drawing)}</td>` : null}</tr>
`;
}

function panel(analysis: CaseAnalysis | null, label: string, drawing: Drawing): Markup {
  const { scale, platforms, names } = drawing;
  if (analysis === null) return html`<span class="soft">not known</span>`;
  const height = platforms.length * LINE_HEIGHT + 2 * EDGE;
  const { comparisons, noiseFloor } = analysis;
  const said = comparisons.map(
    ({ target, ratio, verdict }) => `${names.get(target) ?? target} ${formatRatio(ratio)}, ${verdict}`,
  );
  const grid = scale.ticks.map(
    (tick) => html`<line x1="${scale.position(tick)}%" x2="${scale.position(tick)}%" y2="${height}"/>`,
  );
  return html`<svg class="interval" role="img" height="${height}"><title>${label}: ${said.join("; ")}.</title>${noiseFloor === null ? null : band(noiseFloor, height, scale)}<g class="grid">${grid}</g><line class="one" x1="${scale.position(1)}%" x2="${scale.position(1)}%" y2="${height}"/>${comparisons.map((one) => mark(one, drawing))}</svg>`;
}

function band(noiseFloor: number, height: number, { position }: RatioScale): Markup {
  const { low, high } = noiseBand(noiseFloor);
  const width = Math.round((position(high) - position(low)) * 100) / 100;
  return html`<rect class="band" x="${position(low)}%" width="${width}%" height="${height}"/>`;
}

/** Filled where there is a difference, hollow where none was found. */
function mark(
  { target, ratio, verdict }: Comparison,
  { data, scale, platforms, names }: Drawing,
): Markup | null {
  if (ratio === null) return null;
  const y = EDGE + LINE_HEIGHT * (platforms.indexOf(names.get(target) ?? target) + 0.5);
  const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
  const [low, high, dot] = [ratio.low, ratio.high, ratio.estimate].map((one) => `${scale.position(one)}%`);
  const isDifferent = isDifference(verdict);
  return html`<g class="${seriesClass(colour)}"><line x1="${low ?? ""}" x2="${high ?? ""}" y1="${y}" y2="${y}" class="reach"/><circle cx="${dot ?? ""}" cy="${y}" r="4.5" class="${isDifferent ? "dot" : "hollow"}"/></g>`;
}

function key({ data, platforms, names }: Drawing, baselines: readonly string[]): Markup {
  const colourOf = (platform: string) =>
    data.targets.find(({ name }) => (names.get(name) ?? name) === platform)?.colour ?? 0;
  const notSame = data.cases.some(({ manifest }) => manifest.notSameCode !== null);
  return html`<p class="key">${platforms.map((platform) => html`${colourMark(platform, colourOf(platform))} `)}<span>${term("1×", "overview", "baseline")} is ${listed(baselines)}. Filled: a difference. Hollow: none was found. Line: ${term("99 % interval", "overview", "interval")}. Grey: noise of the ${term("A/A control", "overview", "A/A control", "noise floor")}.${notSame ? " * Not the same code on all platforms." : ""}</span></p>`;
}
