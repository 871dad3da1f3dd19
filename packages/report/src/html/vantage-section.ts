import {
  asMsInterval,
  type MsInterval,
  type VantageAnalysis,
  type VantageComparison,
  type VantageRow,
} from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs } from "../format.ts";
import { type Cell, htmlTable, type Table } from "../table.ts";
import { differenceAt, nearestFirst } from "../vantages.ts";
import { html, type Markup } from "./markup.ts";
import { drawn, msScale, ring, scaleAxis } from "./scale.ts";
import { placeOfTable, term } from "./term.ts";
import { targetCell, targetMark } from "./verdict-table.ts";

export const VANTAGE_STYLE = `
.vantages td,.vantages th{border-bottom:1px solid var(--line);white-space:nowrap}.vantages>.scroll tbody tr:last-child>*{border-top:2px solid var(--ink);font-weight:600}
.vantages td.bar,.vantages th.bar{min-width:190px;width:auto;padding-right:16px}
`;

type Columns = "times alone" | "everything";

interface VantageTable extends Table {
  readonly title: string;
  readonly note: string;
}

/** One for each case: how much longer than the baseline each target takes from each vantage. */
export function vantageTables(data: ReportData, columns: Columns): readonly VantageTable[] {
  return data.cases.flatMap((report) =>
    report.vantages === null ? [] : [tableOf(report, report.vantages, columns, data)],
  );
}

function tableOf(
  { manifest, baseline }: CaseReport,
  { rows, comparisons, control }: VantageAnalysis,
  columns: Columns,
  data: ReportData,
): VantageTable {
  const isWhole = columns === "everything";
  const compared = isWhole && control !== null ? [...comparisons, control] : comparisons;
  const judged = [
    ...compared.map(({ target, time }) => ({ name: target, target, ...time })),
    ...compared.flatMap(({ target, compute }) =>
      isWhole && compute !== null ? [{ name: `${target}, computing`, target, ...compute }] : [],
    ),
  ];
  const names = nearestFirst(rows, baseline);
  const ends = judged.flatMap(({ difference }) => [...difference.vantages.map(spanOf), difference.pooled]);
  const scale = msScale(ends.flatMap((end) => (end === null ? [] : [end.low, end.high])));
  const drawnCell = (target: string, text: string, interval: MsInterval | null, look?: "dot"): Cell => {
    const colour = data.targets.find(({ name }) => name === target)?.colour ?? 0;
    const bar = { zero: 0, height: HEIGHT, label: `${target}: ${text}`, colour };
    const mark = interval && ring(interval, scale, HEIGHT / 2, look);
    return { text, html: html`${text}${drawn(scale, bar, mark)}`, className: "bar" };
  };
  return {
    title: `${manifest.id} from ${counted(names.length, "vantage")}${comparisons.length === 0 ? "" : `: longer than ${baseline}`}`,
    head: [
      "vantage",
      baseline,
      ...judged.map(({ name }) => ({
        ...{ text: name, className: "bar" },
        html: html`${name}${scaleAxis(scale, msWords)}`,
      })),
      "edges",
    ],
    rows: [
      ...names.map((vantage) => [
        vantage,
        formatMs(rows.find((row) => row.vantage === vantage && row.target === baseline)?.medianMs ?? null),
        ...judged.map(({ target, difference }) => {
          const own = difference.vantages.find((one) => one.vantage === vantage);
          return drawnCell(target, differenceAt(difference, vantage), own === undefined ? null : spanOf(own));
        }),
        edgesAt(rows, vantage),
      ]),
      [
        "together",
        "",
        ...judged.map(({ target, difference: { pooled } }) =>
          drawnCell(target, pooled === null ? "not pooled" : asMsInterval(pooled), pooled, "dot"),
        ),
        "",
      ],
    ],
    note: comparisons.map(({ target, time }) => `${target}: ${time.reason}`).join(" "),
  };
}

const HEIGHT = 22;
const msWords = (tick: number) => `${String(tick).replace("-", "−")} ms`;

function spanOf({
  interval,
  estimate,
}: VantageComparison["time"]["difference"]["vantages"][number]): MsInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

function edgesAt(rows: readonly VantageRow[], vantage: string): string {
  const edges = new Set(rows.flatMap((row) => (row.vantage === vantage ? row.edges : [])));
  return [...edges].join(", ") || "not named";
}

export function vantageSection(report: CaseReport, data: ReportData): Markup | null {
  const { vantages, baseline, manifest } = report;
  const [table] = vantageTables({ ...data, cases: [report] }, "everything");
  if (vantages === null || table === undefined) return null;
  const place = placeOfTable("vantages", report, data, (one) => one.vantages !== null);
  const computed = [...vantages.comparisons, vantages.control].flatMap((one) =>
    one?.compute == null ? [] : [html` ${targetMark(one.target, data)} computing: ${one.compute.reason}`],
  );
  return html`<div class="vantages"><h4>From near to far</h4>${htmlTable(table.title, table)}<p class="key">Sorted by the time of ${baseline} from each ${term("vantage", place, "vantage")}. By milliseconds longer, with the 99 % interval; ${term("edges", place, "edge")} are those that answered.${computed}</p>
<details class="numbers"><summary>All that each vantage saw of ${manifest.id}</summary>${everything(manifest.id, vantages, baseline, data)}</details></div>`;
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

function everything(caseId: string, { rows }: VantageAnalysis, baseline: string, data: ReportData): Markup {
  const placed = nearestFirst(rows, baseline).flatMap((name) =>
    rows.filter(({ vantage }) => vantage === name),
  );
  const head = ["Vantage", "Target", ...COLUMNS.map(([title]) => title)];
  const cells = placed.map((row) => [
    row.vantage,
    targetCell(row.target, data),
    ...COLUMNS.map(([, cell]) => cell(row)),
  ]);
  const numeric = head.map((_, column) => column).slice(1);
  return htmlTable(`All that each vantage saw of ${caseId}`, { head, rows: cells, numeric });
}

export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) return null;
  const head = ["Vantage", "Client", "Started", "Took", "Requests", "Lacks"];
  const rows = run.vantages.flatMap(({ name, clients }) =>
    clients.map(({ client, startedAt, elapsedMs, logged, planned, lacks }) => [
      ...[name, client, startedAt],
      elapsedMs === null ? "–" : `${(elapsedMs / 1000).toFixed(1)} s`,
      `${formatCount(logged)} of ${formatCount(planned)}`,
      lacks ?? "nothing",
    ]),
  );
  return html`<section aria-labelledby="clients"><h2 id="clients">Vantages and clients</h2><p class="lead">By each client's own clock: starts cannot be compared. No client reports its processor, its load or its CPU time.</p>${htmlTable("Clients", { head, rows })}</section>`;
}
