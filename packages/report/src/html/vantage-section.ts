import { asMsInterval, type MsInterval, type VantageComparison } from "@evenbench/stats";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs } from "../format.ts";
import { type Cell, htmlTable, type Table } from "../table.ts";
import type { VantageReport } from "../vantage-rows.ts";
import { differenceAt, nearestFirst } from "../vantages.ts";
import { html, type Markup } from "./markup.ts";
import { drawn, msScale, ring, scaleAxis } from "./scale.ts";
import { term } from "./term.ts";

const HEIGHT = 22;

interface VantageTable extends Table {
  readonly title: string;
  readonly note: string;
}

/** One for each case: how much longer than the baseline each target takes from each vantage. */
export function vantageTables({ cases, targets }: ReportData, isShort = false): readonly VantageTable[] {
  return cases.flatMap((report) =>
    report.vantages === null ? [] : [tableOf(report, report.vantages, targets, isShort)],
  );
}

function tableOf(
  { manifest, baseline }: CaseReport,
  { rows, comparisons, control }: VantageReport,
  targets: ReportData["targets"],
  isShort: boolean,
): VantageTable {
  const compared = isShort || control === null ? comparisons : [...comparisons, control];
  const judged = [
    ...compared.map(({ target, time }) => ({ name: target, target, ...time })),
    ...compared.flatMap(({ target, compute }) =>
      isShort || compute === null ? [] : [{ name: `${target}, computing`, target, ...compute }],
    ),
  ];
  const names = nearestFirst(rows, baseline);
  const ends = judged.flatMap(({ difference }) => [...difference.vantages.map(spanOf), difference.pooled]);
  const scale = msScale(ends.flatMap((end) => (end === null ? [] : [end.low, end.high])));
  const drawnCell = (target: string, text: string, interval: MsInterval | null, look?: "dot"): Cell => {
    const colour = targets.find(({ name }) => name === target)?.colour ?? 0;
    const bar = { zero: 0, height: HEIGHT, label: `${target}: ${text}`, colour };
    const mark = interval && ring(interval, scale, HEIGHT / 2, look);
    return { text, html: html`${text}${drawn(scale, bar, mark)}`, className: "bar" };
  };
  const axis = scaleAxis(scale, (tick) => `${String(tick).replace("-", "−")} ms`);
  return {
    title: `${manifest.id} from ${counted(names.length, "vantage")}${comparisons.length === 0 ? "" : `: longer than ${baseline}`}`,
    head: [
      "vantage",
      baseline,
      ...judged.map(({ name }) => ({ text: name, className: "bar", html: html`${name}${axis}` })),
      "edges",
    ],
    rows: [
      ...names.map((vantage) => {
        const own = rows.filter((row) => row.vantage === vantage);
        const edges = new Set(own.flatMap((row) => row.edges));
        return [
          vantage,
          formatMs(own.find(({ target }) => target === baseline)?.medianMs ?? null),
          ...judged.map(({ target, difference }) => {
            const found = difference.vantages.find((one) => one.vantage === vantage);
            return drawnCell(
              target,
              differenceAt(difference, vantage),
              found === undefined ? null : spanOf(found),
            );
          }),
          [...edges].join(", ") || "not named",
        ];
      }),
      [
        "together",
        "",
        ...judged.map(({ target, difference: { pooled } }) =>
          drawnCell(target, pooled === null ? "not pooled" : asMsInterval(pooled), pooled, "dot"),
        ),
        "",
      ],
    ],
    note: judged.map(({ name, reason }) => `${name}: ${reason}`).join(" "),
  };
}

function spanOf({
  interval,
  estimate,
}: VantageComparison["time"]["difference"]["vantages"][number]): MsInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

export function vantageSection(report: CaseReport, data: ReportData): readonly Markup[] {
  return vantageTables({ ...data, cases: [report] }).map(
    (table) =>
      html`<h4>From near to far</h4>${htmlTable(table.title, table)}<p class="key">Sorted by the time of ${report.baseline} from each ${term("vantage", "vantage")}. By milliseconds longer, with the 99 % interval; ${term("edges", "edge")} are those that answered. ${table.note}</p>`,
  );
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
