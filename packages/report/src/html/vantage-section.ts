import { asMsInterval, type MsInterval, type VantageComparison, type VantageRow } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs } from "../format.ts";
import { type Cell, htmlTable } from "../table.ts";
import { nearestFirst } from "../vantages.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";
import { type MsScale, msScale } from "./scale.ts";
import { term } from "./term.ts";
import { targetCell, targetMark, verdictMark } from "./verdict-table.ts";

export const VANTAGE_STYLE = `
.vantages td,.vantages th{border-bottom:1px solid var(--line);white-space:nowrap}.vantages .together tr:last-child>*{border-top:2px solid var(--ink);font-weight:600}
.vantages td.bar{min-width:220px;width:45%;padding-right:0}.vantages .heat{display:block;height:5px;border-radius:3px;background:var(--c);margin-top:3px}
.vantages td.way{white-space:normal;min-width:9em;font-size:13px;color:var(--soft)}.vantages h4{margin:22px 0 2px;font-size:15px}
`;

/** The bar of the longest time of a case, in pixels: bars can be held against each other in all columns. */
const LONGEST_PX = 110;

export function vantageSection(report: CaseReport, data: ReportData): Markup | null {
  const { vantages, baseline, manifest } = report;
  if (vantages === null) return null;
  const names = nearestFirst(vantages.rows, baseline);
  const compared = [...vantages.comparisons, ...(vantages.control ? [vantages.control] : [])];
  const first = data.cases.find((one) => one.vantages !== null) === report;
  return html`<div class="vantages">${map(report, names, first, data)}
${compared.map((one) => differences(one, manifest.id, names, data))}
<details class="numbers"><summary>All that each vantage saw of ${manifest.id}</summary>${everything(report, names, data)}</details></div>`;
}

function map(
  { vantages, targets, manifest, baseline }: CaseReport,
  names: readonly string[],
  first: boolean,
  data: ReportData,
): Markup {
  const rows = vantages?.rows ?? [];
  const most = Math.max(...rows.map(({ medianMs }) => medianMs ?? 0));
  const place = first ? "vantages" : null;
  const table = {
    head: [
      { text: "Vantage", html: term("Vantage", place, "vantage") },
      ...targets.map((target) => targetCell(target, data)),
      { text: "Answered by edges", html: html`Answered by ${term("edges", place, "edge")}` },
    ],
    rows: names.map((vantage) => {
      const own = rows.filter((row) => row.vantage === vantage);
      const cells = targets.map((target) =>
        timeCell(
          own.find((row) => row.target === target),
          most,
          data,
        ),
      );
      return [vantage, ...cells, { text: wayOf(own), className: "way" }];
    }),
    numeric: targets.map((_, column) => column + 1),
  };
  return html`<h4>From near to far</h4>${htmlTable(`Times of ${manifest.id} from each vantage`, table)}<p class="key">Mean over the trials of their medians, route and work together. Sorted by the time of ${baseline}.</p>`;
}

function timeCell(row: VantageRow | undefined, most: number, data: ReportData): Cell {
  if (row === undefined || row.medianMs === null) return "–";
  const colour = data.targets.find(({ name }) => name === row.target)?.colour ?? 0;
  const width = Math.round((LONGEST_PX * row.medianMs) / most);
  const text = formatMs(row.medianMs);
  return {
    text,
    html: html`${text}<span class="heat ${seriesClass(colour)}" style="width:${width}px"></span>`,
  };
}

function wayOf(rows: readonly VantageRow[]): string {
  const named = rows.flatMap(({ target, edges }) =>
    edges.length === 0 ? [] : [`${target}: ${edges.join(", ")}`],
  );
  return named.join("; ") || "none is named";
}

function differences(
  one: VantageComparison,
  caseId: string,
  names: readonly string[],
  data: ReportData,
): Markup {
  const { target, baseline, time, compute } = one;
  const ends = [time, compute].flatMap((judged) =>
    judged === null ? [] : [...judged.difference.vantages.map(spanOf), judged.difference.pooled],
  );
  const scale = msScale(ends.flatMap((end) => (end === null ? [] : [end.low, end.high])));
  const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
  const draw = { names, scale, colour, target, baseline, caseId };
  return html`<h4>${targetMark(target, data)} less ${targetMark(baseline, data)}</h4>${judgedTable("Time", time, draw)}${compute === null ? null : judgedTable("Compute time", compute, draw)}`;
}

interface Drawing {
  readonly names: readonly string[];
  readonly scale: MsScale;
  readonly colour: number;
  readonly target: string;
  readonly baseline: string;
  readonly caseId: string;
}

function judgedTable(
  what: string,
  { difference, verdict, reason }: VantageComparison["time"],
  { names, scale, colour, target, baseline, caseId }: Drawing,
): Markup {
  const rows = names.flatMap((name) => {
    const own = difference.vantages.find(({ vantage }) => vantage === name);
    if (own === undefined) return [];
    const unit = difference.units.find((members) => members.includes(name)) ?? [];
    const shared = unit.filter((member) => member !== name);
    const note = shared.length === 0 ? "" : `, behind the same edges as ${shared.join(", ")}`;
    const text = own.interval === null ? "no interval" : asMsInterval(own.interval);
    const bar = msBar(spanOf(own), scale, colour, `${name}: ${text}`, false);
    const way = `${counted(own.trials, "trial")}, ${counted(own.clients, "client")}${note}`;
    return [[name, text, { text: "", html: bar, className: "bar" }, { text: way, className: "way" }]];
  });
  const { pooled, units } = difference;
  const together = pooled === null ? "not pooled" : asMsInterval(pooled);
  const bar = msBar(pooled, scale, colour, `Together: ${together}`, true);
  const axis = html`<span class="visually-hidden">Drawn</span>${msAxis(scale)}`;
  const table = {
    head: ["Vantage", "Longer by (99 % interval)", { text: "", html: axis, className: "bar" }, "Of"],
    rows: [
      ...rows,
      [
        "Together",
        together,
        { text: "", html: bar, className: "bar" },
        { text: counted(units.length, "unit"), className: "way" },
      ],
    ],
    numeric: [1],
  };
  return html`<p class="key">${what}: ${verdictMark(verdict)} ${reason}</p>${htmlTable(`${what} of ${caseId}: ${target} less ${baseline}, from each vantage`, table, "together")}`;
}

function spanOf({
  interval,
  estimate,
}: {
  readonly interval: MsInterval | null;
  readonly estimate: number;
}): MsInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

function msBar(
  interval: MsInterval | null,
  { position, ticks }: MsScale,
  colour: number,
  label: string,
  filled: boolean,
): Markup {
  const grid = ticks.map((tick) => html`<line x1="${position(tick)}%" x2="${position(tick)}%" y2="22"/>`);
  const marks =
    interval === null
      ? null
      : html`<line x1="${position(interval.low)}%" x2="${position(interval.high)}%" y1="11" y2="11" class="reach"/><circle cx="${position(interval.estimate)}%" cy="11" r="5" class="${filled ? "dot" : "hollow"}"/>`;
  return html`<svg class="interval ${seriesClass(colour)}" role="img" height="22"><title>${label}</title><g class="grid">${grid}</g><line class="one" x1="${position(0)}%" x2="${position(0)}%" y2="22"/>${marks}</svg>`;
}

function msAxis({ position, ticks }: MsScale): Markup {
  return html`<svg class="axis" aria-hidden="true" height="18">${ticks.map(
    (tick) =>
      html`<text x="${position(tick)}%" y="13" text-anchor="middle">${String(tick).replace("-", "−")} ms</text>`,
  )}</svg>`;
}

function everything({ vantages, manifest }: CaseReport, names: readonly string[], data: ReportData): Markup {
  const heads = [
    "Target",
    "Median",
    "Connect",
    "Transfer",
    "Compute",
    "Requests",
    "Errors",
    "Trials",
    "Clients",
    "Instances",
    "Edges",
    "HTTP",
  ];
  const rows = names.flatMap((name) => (vantages?.rows ?? []).filter(({ vantage }) => vantage === name));
  const table = {
    head: ["Vantage", ...heads],
    rows: rows.map((row) => [
      row.vantage,
      targetCell(row.target, data),
      formatMs(row.medianMs),
      formatMs(row.connectMs),
      formatMs(row.transferMs),
      formatMs(row.computeMs),
      formatCount(row.exchanges),
      formatCount(row.errors),
      formatCount(row.trials),
      formatCount(row.clients),
      formatCount(row.instances),
      row.edges.join(", ") || "–",
      row.httpVersions.join(", ") || "–",
    ]),
    numeric: heads.map((_, column) => column + 1),
  };
  return htmlTable(`All that each vantage saw of ${manifest.id}`, table);
}

export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) return null;
  const rows = run.vantages.flatMap(({ name, clients }) =>
    clients.map((one) => {
      const took = one.elapsedMs === null ? "–" : `${(one.elapsedMs / 1000).toFixed(1)} s`;
      const cells = [
        one.client,
        one.startedAt,
        took,
        `${formatCount(one.logged)} of ${formatCount(one.planned)}`,
        one.lacks ?? "nothing",
      ];
      return html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
    }),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2><p class="lead">By each client's own clock: starts cannot be compared. No client reports its processor, its load or its CPU time.</p><div class="scroll" role="region" tabindex="0" aria-label="Clients"><table><thead><tr>${["Vantage", "Client", "Started", "Took", "Requests", "Lacks"].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
