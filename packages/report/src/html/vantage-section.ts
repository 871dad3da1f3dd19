import {
  asMsInterval,
  type DifferenceAcross,
  type MsInterval,
  type VantageComparison,
  type VantageRow,
} from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs } from "../format.ts";
import { type Cell, htmlTable } from "../table.ts";
import { nearestFirst } from "../vantages.ts";
import { html, type Markup } from "./markup.ts";
import { seriesClass } from "./plot.ts";
import { drawn, msScale, ring, type Scale, scaleAxis } from "./scale.ts";
import { term } from "./term.ts";
import { targetCell, targetMark, verdictMark } from "./verdict-table.ts";

export const VANTAGE_STYLE = `
.vantages td,.vantages th{border-bottom:1px solid var(--line);white-space:nowrap}.vantages .together tr:last-child>*{border-top:2px solid var(--ink);font-weight:600}
.vantages td.bar{min-width:220px;width:45%;padding-right:0}.vantages .heat{display:block;height:5px;border-radius:3px;background:var(--c);margin-top:3px}
.vantages td.way{white-space:normal;min-width:9em;font-size:13px;color:var(--soft)}.vantages h4{margin:22px 0 2px;font-size:15px}
`;

/** Of the longest time of a case, so that bars compare in all columns. */
const LONGEST_PX = 110;

export function vantageSection(report: CaseReport, data: ReportData): Markup | null {
  const { vantages, baseline, manifest } = report;
  if (vantages === null) return null;
  const names = nearestFirst(vantages.rows, baseline);
  const first = data.cases.find((one) => one.vantages !== null) === report;
  return html`<div class="vantages">${map(report, names, first, data)}
${[...vantages.comparisons, vantages.control].map((one) => one && differences(one, manifest.id, names, data))}
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
  const judged = (what: string, of: VantageComparison["time"]) =>
    judgedTable(what, caseId, one, of, { names, scale, colour });
  return html`<h4>${targetMark(target, data)} less ${targetMark(baseline, data)}</h4>${judged("Time", time)}${compute && judged("Compute time", compute)}`;
}

interface Drawing {
  readonly names: readonly string[];
  readonly scale: Scale;
  readonly colour: number;
}

function judgedTable(
  what: string,
  caseId: string,
  { target, baseline }: VantageComparison,
  { difference, verdict, reason }: VantageComparison["time"],
  { names, scale, colour }: Drawing,
): Markup {
  const bar = (interval: MsInterval | null, label: string, isWhole: boolean): Cell => {
    const marks = interval && ring(interval, scale, HEIGHT / 2, isWhole ? "dot" : "hollow");
    const look = { zero: 0, height: HEIGHT, label, colour };
    return { text: "", html: drawn(scale, look, marks), className: "bar" };
  };
  const rows = names.flatMap((name): (readonly Cell[])[] => {
    const own = difference.vantages.find(({ vantage }) => vantage === name);
    if (own === undefined) return [];
    const unit = difference.units.find((members) => members.includes(name)) ?? [];
    const shared = unit.filter((member) => member !== name);
    const note = shared.length === 0 ? "" : `, behind the same edges as ${shared.join(", ")}`;
    const text = own.interval === null ? "no interval" : asMsInterval(own.interval);
    const way = `${counted(own.trials, "trial")}, ${counted(own.clients, "client")}${note}`;
    return [[name, text, bar(spanOf(own), `${name}: ${text}`, false), { text: way, className: "way" }]];
  });
  const { pooled, units } = difference;
  const together = pooled === null ? "not pooled" : asMsInterval(pooled);
  const axis = html`<span class="visually-hidden">Drawn</span>${scaleAxis(scale, msWords)}`;
  const table = {
    head: ["Vantage", "Longer by (99 % interval)", { text: "", html: axis, className: "bar" }, "Of"],
    rows: [
      ...rows,
      [
        "Together",
        together,
        bar(pooled, `Together: ${together}`, true),
        { text: counted(units.length, "unit"), className: "way" },
      ],
    ],
    numeric: [1],
  };
  return html`<p class="key">${what}: ${verdictMark(verdict)} ${reason}</p>${htmlTable(`${what} of ${caseId}: ${target} less ${baseline}, from each vantage`, table, "together")}`;
}

const HEIGHT = 22;

const msWords = (tick: number) => `${String(tick).replace("-", "−")} ms`;

function spanOf({ interval, estimate }: DifferenceAcross["vantages"][number]): MsInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

const COLUMNS: readonly (readonly [head: string, cell: (row: VantageRow) => string])[] = [
  ["Median", ({ medianMs }) => formatMs(medianMs)],
  ["Connect", ({ connectMs }) => formatMs(connectMs)],
  ["Transfer", ({ transferMs }) => formatMs(transferMs)],
  ["Compute", ({ computeMs }) => formatMs(computeMs)],
  ["Requests", ({ exchanges }) => formatCount(exchanges)],
  ["Errors", ({ errors }) => formatCount(errors)],
  ["Trials", ({ trials }) => formatCount(trials)],
  ["Clients", ({ clients }) => formatCount(clients)],
  ["Instances", ({ instances }) => formatCount(instances)],
  ["Edges", ({ edges }) => edges.join(", ") || "–"],
  ["HTTP", ({ httpVersions }) => httpVersions.join(", ") || "–"],
];

function everything({ vantages, manifest }: CaseReport, names: readonly string[], data: ReportData): Markup {
  const rows = names.flatMap((name) => (vantages?.rows ?? []).filter(({ vantage }) => vantage === name));
  const head = ["Vantage", "Target", ...COLUMNS.map(([title]) => title)];
  const table = {
    head,
    rows: rows.map((row) => [
      row.vantage,
      targetCell(row.target, data),
      ...COLUMNS.map(([, cell]) => cell(row)),
    ]),
    numeric: head.map((_, column) => column).slice(1),
  };
  return htmlTable(`All that each vantage saw of ${manifest.id}`, table);
}

export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) return null;
  const head = ["Vantage", "Client", "Started", "Took", "Requests", "Lacks"];
  const rows = run.vantages.flatMap(({ name, clients }) =>
    clients.map(({ client, startedAt, elapsedMs, logged, planned, lacks }) => [
      name,
      client,
      startedAt,
      elapsedMs === null ? "–" : `${(elapsedMs / 1000).toFixed(1)} s`,
      `${formatCount(logged)} of ${formatCount(planned)}`,
      lacks ?? "nothing",
    ]),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2><p class="lead">By each client's own clock: starts cannot be compared. No client reports its processor, its load or its CPU time.</p>${htmlTable("Clients", { head, rows })}</section>`;
}
