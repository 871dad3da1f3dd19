import { asMsInterval, type RatioInterval } from "@evenbench/stats";
import { type VantageReport, withControl } from "../case-report.ts";
import type { CaseReport, ReportData } from "../data.ts";
import { counted, formatCount, formatMs } from "../format.ts";
import { type Cell, htmlTable } from "../table.ts";
import { html, type Markup } from "./markup.ts";
import { drawn, msScale, ring, scaleAxis } from "./scale.ts";
import { term } from "./term.ts";

const HEIGHT = 22;

/** One for each case: how much longer than the baseline each target takes from each vantage. */
export function vantageTables({ cases, targets }: ReportData, hasControl = true) {
  return cases.flatMap((report) =>
    report.vantages === null ? [] : [tableOf(report, report.vantages, targets, hasControl)],
  );
}

function tableOf(
  { manifest, baseline }: CaseReport,
  { rows, ...analysis }: VantageReport,
  targets: ReportData["targets"],
  hasControl: boolean,
) {
  const judged = hasControl ? withControl(analysis) : analysis.comparisons;
  const places = nearestFirst(rows, baseline);
  const ends = judged.flatMap(({ time: { difference } }) => [
    ...difference.vantages.map(spanOf),
    difference.pooled,
  ]);
  const scale = msScale(ends.flatMap((end) => (end === null ? [] : [end.low, end.high])));
  const drawnCell = (target: string, text: string, interval: RatioInterval | null, look?: "dot"): Cell => {
    const colour = targets.find(({ name }) => name === target)?.colour ?? 0;
    const bar = { zero: 0, height: HEIGHT, label: `${target}: ${text}`, colour };
    const mark = interval && ring(interval, scale, HEIGHT / 2, look);
    return { text, html: html`${text}${drawn(scale, bar, mark)}`, className: "bar" };
  };
  const axis = scaleAxis(scale, (tick) => `${String(tick).replace("-", "−")} ms`);
  const isCompared = analysis.comparisons.length > 0;
  return {
    title: `${manifest.id} from ${counted(places.length, "vantage")}${isCompared ? `: longer than ${baseline}` : ""}`,
    head: [
      "vantage",
      baseline,
      ...judged.map(({ target }) => ({ text: target, className: "bar", html: html`${target}${axis}` })),
      "edges",
    ],
    rows: [
      ...places.map((vantage) => {
        const vantageRows = rows.filter((row) => row.vantage === vantage);
        const edges = new Set(vantageRows.flatMap((row) => row.edges));
        const differences = judged.map(({ target, time }) => {
          const found = time.difference.vantages.find((place) => place.vantage === vantage);
          if (found === undefined) {
            return drawnCell(target, "–", null);
          }
          return drawnCell(
            target,
            asMsInterval(found.interval ?? { estimate: found.estimate }),
            spanOf(found),
          );
        });
        const base = vantageRows.find(({ target }) => target === baseline);
        return [
          vantage,
          formatMs(base?.medianMs ?? null),
          ...differences,
          [...edges].join(", ") || "not named",
        ];
      }),
      [
        "together",
        "",
        ...judged.map(({ target, time: { difference } }) =>
          drawnCell(target, pooledWords(difference), difference.pooled, "dot"),
        ),
        "",
      ],
    ],
    note: judged.map(({ target, time }) => `${target}: ${time.reason}`).join(" "),
  };
}

export function pooledWords({ pooled, disagree }: Difference): string {
  if (pooled !== null) {
    return asMsInterval(pooled);
  }
  return disagree ? "the vantages disagree" : "not pooled";
}

type Difference = VantageReport["comparisons"][number]["time"]["difference"];

function spanOf({ interval, estimate }: Difference["vantages"][number]): RatioInterval {
  return interval ?? { estimate, low: estimate, high: estimate };
}

export function nearestFirst(rows: VantageReport["rows"], baseline: string): readonly string[] {
  const near = rows
    .filter(({ target }) => target === baseline)
    .toSorted((a, b) => (a.medianMs ?? Number.POSITIVE_INFINITY) - (b.medianMs ?? Number.POSITIVE_INFINITY));
  return [...new Set([...near, ...rows].map(({ vantage }) => vantage))];
}

export function vantageSection(report: CaseReport, data: ReportData): readonly Markup[] {
  return vantageTables({ ...data, cases: [report] }).map(
    (table) =>
      html`<h4>From near to far</h4>${htmlTable(table.title, table)}<p class="key">Sorted by the time of ${report.baseline} from each ${term("vantage", "vantage")}. By milliseconds longer, with the 99 % interval; ${term("edges", "edge")} are those that answered. ${table.note}</p>`,
  );
}

export function vantageFacts({ run }: ReportData): Markup | null {
  if (run.vantages === undefined) {
    return null;
  }
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
