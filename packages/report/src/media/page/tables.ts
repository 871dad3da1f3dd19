// The tables of one case: what each target took, how they differ, and what was found beside.
import {
  filledTable,
  formatBytes,
  formatCount,
  formatDuration,
  formatMs,
  formatPercent,
  html,
  htmlTable,
  listed,
  type Markup,
  NOTHING,
  type Table,
  type TableCell,
  type TableColumn,
} from "@evenbench/page";
import type { CaseDetails } from "../../facts/details.ts";
import type { Answer, CaseFacts, Change, Facts, Level, Metric, TargetFacts } from "../../facts/facts.ts";
import { coldWords } from "../../words/cold.ts";
import { answerOf, targetOf } from "../../words/columns.ts";
import { footnote } from "../../words/mark.ts";
import { amount, METRICS, TIME } from "../../words/metrics.ts";
import { cell, differenceWords } from "../../words/notation.ts";
import { entryOf, placeLine } from "../../words/notices.ts";
import { millionWords } from "../../words/prices.ts";
import { targetCell } from "./cells.ts";

/** Writes a table with a heading, whose first column names the target of each row; null where there are no rows. */
function targetTable<Row extends { readonly target: string }>(
  facts: Facts,
  of: CaseFacts,
  title: string,
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Markup | null {
  const naming = [["Platform", ({ target }: Row) => targetCell(facts, target)]] as const;
  return rows.length === 0 ? null : titled(title, of, filledTable(rows, naming, columns));
}

/** Writes a table below its heading. @param the case, whose name tells it from those of other cases. */
function titled(title: string, of: CaseFacts, table: Table): Markup {
  return html`<h4>${title}</h4>${htmlTable(`${title}, ${of.title} (${of.id})`, table)}`;
}

interface TargetRow {
  readonly target: string;
  readonly facts: TargetFacts;
  readonly levels: readonly Level[];
  readonly answer: Answer | null;
}

/** Writes what each target of a case took; null where nothing was measured. */
export function levelTable(facts: Facts, each: CaseFacts): Markup | null {
  const { id } = each;
  const levels = facts.levels.filter(
    (level) => level.case === id && level.load === null && level.place === null,
  );
  const rows = facts.targets.flatMap((target): readonly TargetRow[] => {
    const own = levels.filter((level) => level.target === target.name);
    const answer = answerOf(facts, id, target.name);
    return own.length === 0 ? [] : [{ target: target.name, facts: target, levels: own, answer }];
  });
  const metrics = (Object.keys(METRICS) as Metric[]).filter((metric) =>
    levels.some((level) => level.metric === metric),
  );
  const valueIn = (row: TargetRow, metric: Metric) => row.levels.find((level) => level.metric === metric);
  const ofMetrics = metrics.map((metric): TableColumn<TargetRow> => {
    return [METRICS[metric].title, (row) => amount(metric, valueIn(row, metric)?.value ?? null)];
  });
  const count = (number: number | undefined) => (number === undefined ? NOTHING : formatCount(number));
  return targetTable(facts, each, "What each took", rows, [
    ...ofMetrics,
    ["95 of 100 take at most", (row) => amount(TIME, valueIn(row, TIME)?.p95 ?? null)],
    ["99 of 100", (row) => amount(TIME, valueIn(row, TIME)?.p99 ?? null)],
    ["$ a million", (row) => millionWords(facts, each.id, row.facts)],
    ["Requests", ({ answer }) => count(answer?.requests)],
    ["Failed", ({ answer }) => count(answer?.failed)],
    [
      "Answer",
      ({ answer }) => (answer === null || answer.bytes === null ? NOTHING : formatBytes(answer.bytes)),
    ],
    ["Comes from", ({ answer }) => (answer === null || answer.from === "computed" ? NOTHING : answer.from)],
  ]);
}

/** Writes how the targets of a case differ: a row for each quantity and place; null where nothing is compared. */
export function changeTable(facts: Facts, each: CaseFacts): Markup | null {
  const { id } = each;
  const changes = facts.changes.filter((change) => change.case === id && change.role !== "other");
  const targets = facts.targets.filter(({ name }) => changes.some(({ target }) => target === name));
  if (targets.length === 0) {
    return null;
  }
  const baselines = [
    ...new Set(changes.map(({ baseline }) => targetOf(facts, baseline)?.spoken ?? baseline)),
  ];
  const rows = [...Map.groupBy(changes, rowOfChange).values()];
  const note = footnote(changes);
  const table = {
    head: ["Quantity", ...targets.map(({ name }) => targetCell(facts, name))],
    rows: rows.map((ofRow) => [
      rowOfChange(ofRow[0] as Change),
      ...targets.map(({ name }) => changeCell(ofRow.find(({ target }) => target === name))),
    ]),
  };
  return html`${titled(`Against ${listed(baselines)}`, each, table)}${note === "" ? null : html`<p class="key">${note}</p>`}`;
}

/** Names the row of a change: its quantity, and the place that asked. */
function rowOfChange({ metric, place }: Change): string {
  const { title } = METRICS[metric];
  return place === null ? title : `${title}, from ${place}`;
}

function changeCell(change: Change | undefined): TableCell {
  if (change === undefined) {
    return NOTHING;
  }
  return { text: cell(change), html: html`<span class="change ${change.verdict}">${cell(change)}</span>` };
}

/** Writes what targets took from each place; null where one machine asked. */
export function placeTable(facts: Facts, each: CaseFacts): Markup | null {
  const { id } = each;
  const levels = facts.levels.filter(
    (level) => level.case === id && level.place !== null && level.metric === TIME && level.load === null,
  );
  const places = [...new Set(levels.flatMap(({ place }) => place ?? []))];
  if (places.length === 0) {
    return null;
  }
  const targets = facts.targets.filter(({ name }) => levels.some(({ target }) => target === name));
  const valueIn = (place: string, target: string) =>
    levels.find((level) => level.place === place && level.target === target)?.value ?? null;
  const table = {
    head: ["Place", ...targets.map(({ name }) => targetCell(facts, name))],
    rows: places.map((place) => [place, ...targets.map(({ name }) => amount(TIME, valueIn(place, name)))]),
    numeric: targets.map((_, index) => index + 1),
  };
  return titled(`${METRICS[TIME].title} from each place`, each, table);
}

/** Writes what each place saw of each target, and how much longer it took from there; null where one machine asked. */
function seenTable(facts: Facts, of: CaseFacts, { places }: CaseDetails): Markup | null {
  return targetTable(facts, of, "What each place saw", places, [
    ["Place", ({ place }) => place],
    [
      `Against ${targetOf(facts, of.baseline)?.spoken ?? "the baseline"}`,
      ({ difference }) =>
        difference === null
          ? NOTHING
          : differenceWords(difference.estimateMs, difference.lowMs, difference.highMs),
    ],
    ["Connecting", ({ connectMs }) => formatMs(connectMs)],
    ["Instances", ({ instances }) => formatCount(instances)],
    ["Edges", ({ edges }) => (edges.length === 0 ? NOTHING : edges.join(", "))],
  ]);
}

/** Writes the tables of a case's details. */
export function detailTables(facts: Facts, of: CaseFacts, details: CaseDetails): readonly (Markup | null)[] {
  return [
    seenTable(facts, of, details),
    targetTable(
      facts,
      of,
      "Warm-up",
      details.warmUps.filter(({ points }) => points.length > 0),
      [
        ["Warm from request", ({ warmFrom }) => (warmFrom === null ? NOTHING : formatCount(warmFrom))],
        ["First request", ({ points: [first] }) => timeAndCpu(first)],
        ["A warm one", ({ warm }) => timeAndCpu(warm)],
        ["Extra time of the first 10", ({ first: [ten] }) => timeAndCpu(ten)],
        ["of the first 100", ({ first: [, hundred] }) => timeAndCpu(hundred)],
      ],
    ),
    targetTable(facts, of, "Trials that do not count", details.coldTrials, [
      ["Trial", ({ trial }) => String(trial + 1)],
      ["Why", ({ why }) => coldWords(why)],
    ]),
    targetTable(facts, of, "Cold starts", details.coldStarts, [
      ["Starts", ({ starts }) => formatCount(starts)],
      ["Until ready", ({ readyMs }) => formatMs(readyMs)],
      ["First request", ({ firstMs }) => formatMs(firstMs)],
      ["Second request", ({ secondMs }) => formatMs(secondMs)],
    ]),
    targetTable(facts, of, "What caches said", details.cacheAnswers, [
      ["Said", ({ said }) => said],
      ["Measured answers", ({ measured }) => formatCount(measured)],
      ["Median", ({ medianMs }) => formatMs(medianMs)],
      ["While it warmed up", ({ warmUps }) => formatCount(warmUps)],
    ]),
    targetTable(facts, of, "Failed requests", details.failures, [
      ["Kind", ({ kind }) => kind],
      ["Requests", ({ count }) => formatCount(count)],
      ["The first one said", ({ quote }) => `"${quote}"`],
    ]),
    targetTable(facts, of, "Processes", details.usage, [
      [
        "Kernel's share of CPU time",
        ({ systemShare }) => (systemShare === null ? NOTHING : formatPercent(systemShare)),
      ],
      [
        "Page faults a request",
        ({ minorFaults }) => (minorFaults === null ? NOTHING : formatCount(Math.round(minorFaults))),
      ],
      [
        "Memory at its peak",
        ({ peakResidentBytes }) => (peakResidentBytes === null ? NOTHING : formatBytes(peakResidentBytes)),
      ],
    ]),
    spentLine(details),
  ];
}

function timeAndCpu(
  request: { readonly lastByteMs: number | null; readonly cpuMs: number | null } | undefined,
): string {
  if (request === undefined) {
    return NOTHING;
  }
  const cpu = request.cpuMs === null ? "" : ` (CPU ${formatMs(request.cpuMs)})`;
  return `${formatMs(request.lastByteMs)}${cpu}`;
}

function spentLine({ spent }: CaseDetails): Markup {
  return html`<p class="key">Measuring took ${formatDuration(spent.measuringMs)}, warming up ${formatDuration(spent.warmUpMs)}.</p>`;
}

/** Lists what was found and asks for nothing, by the words of the catalogue; null where there is none. */
export function remarkList(facts: Facts, remarks: CaseDetails["remarks"]): Markup | null {
  if (remarks.length === 0) {
    return null;
  }
  const items = remarks.map(({ code, found }) => {
    const { title, remedy } = entryOf(code);
    const places = found.map((place) => html`<li>${placeLine(facts, code, place)}</li>`);
    return html`<li><strong>${title}.</strong> ${remedy}<ul>${places}</ul></li>`;
  });
  return html`<ul class="remarks">${items}</ul>`;
}
