import type { CaseReport, ReportData } from "../data.ts";
import { formatMs } from "../format.ts";
import { timeAndCpu } from "../warm-up.ts";
import { html, type Markup } from "./markup.ts";
import { dataTable } from "./tables.ts";
import { placeOfTable, term } from "./term.ts";

/** From when on fresh instances are warm, and what their first exchanges cost; null where neither is known. */
export function warmUpTable(report: CaseReport, data: ReportData): Markup | null {
  if (!isTold(report)) return null;
  const { curves, manifest } = report;
  const place = placeOfTable("warm-up", report, data, isTold);
  const heads = [
    html`${term("Warm", place, "warm", "warm-up")} from ${term("request", place, "request")}`,
    "First request",
    "A warm one",
    "First 10, beyond warm ones",
    "First 100, beyond warm ones",
  ];
  const rows = curves.map(({ target, warmFrom, points, warm, first }) => ({
    target,
    cells: [
      warmFrom === null ? "–" : String(warmFrom),
      points[0] === undefined ? formatMs(null) : timeAndCpu(points[0]),
      timeAndCpu(warm),
      ...first.map(timeAndCpu),
    ],
  }));
  return dataTable(`Warm-up of ${manifest.id}`, heads, rows, data);
}

function isTold({ curves }: CaseReport): boolean {
  return curves.some(
    ({ warmFrom, first }) => warmFrom !== null || first.some(({ lastByteMs }) => lastByteMs !== null),
  );
}
