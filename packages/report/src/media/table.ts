// The one table of a run, for all media that have text.
import { formatBytes, formatPercent, type Table } from "@evenbench/page";
import type { CaseFacts, Change, Facts, Metric, TargetFacts, Trend } from "../facts/facts.ts";
import {
  baselineName,
  type Column,
  caseTitle,
  columnsOf,
  countedColumns,
  levelOf,
  mainChanges,
  ofColumn,
  targetOf,
} from "../words/columns.ts";
import { countCell } from "../words/counts.ts";
import { amount, METRICS, TIME } from "../words/metrics.ts";
import { cell, type Form } from "../words/notation.ts";
import { type CaseNames, caseName } from "../words/notices.ts";
import { millionWords } from "../words/prices.ts";
import { requestsToLimit, trendWords } from "../words/trends.ts";
import { WHY_WORDS } from "../words/why.ts";

/** A table, and how many of its first columns say what a row is of. */
export interface FactTable extends Table {
  readonly keys: number;
  /** The changes that it shows. */
  readonly changes: readonly Change[];
  /** What has to be known to read it, as a sentence; empty where that is nothing. */
  readonly note: string;
}

/** How a table is written. */
export interface TableOptions {
  readonly names: CaseNames;
  /** Default: "cell". */
  readonly form?: Form;
  /** Whether a row counts the verdicts on CPU time. Default: false. */
  readonly countsCpu?: boolean;
}

/** Metrics that have a table of their own where a run compared by them. */
const TABLES: readonly Metric[] = ["coldStartMs"];
/** Metrics that the table of an app has beside those of `TABLES`, in their order. */
const OF_APPS: readonly Metric[] = [TIME, "firstByteMs", "cpuMs", "coldStartMs", "memoryBytes"];
/** What the costs of an app are. */
const COST_NOTE = "$ a million: CPU time + requests, by this machine's CPU time.";
/** Metrics that a target has once, whatever its cases are. */
const OF_TARGETS: readonly Metric[] = ["startupCpuMs", "startupCompileMs", "startupRunMs"];

/**
 * Makes the tables of a run: one by time with a row for each case, and one for each further metric that it compared by; of
 * an own app a block for each path, whose rows are metrics; of a run that compared nothing what each target took.
 */
export function tablesOf(facts: Facts, options: TableOptions): readonly FactTable[] {
  if (facts.run.of === "app") {
    const ofCases = facts.cases.flatMap((each) => [appTable(facts, each), ...memoryTables(facts, each)]);
    return [...ofCases, ...targetTables(facts)];
  }
  const compared = [TIME, ...TABLES].filter((metric) => mainChanges(facts, metric).length > 0);
  const tables = compared.map((metric) => changesTable(facts, metric, options));
  return [
    ...(tables.length > 0 ? tables : levelTables(facts, options)),
    ...facts.cases.flatMap((each) => memoryTables(facts, each)),
    ...targetTables(facts),
  ];
}

/** Lists the notes of tables, each once. */
export function notesOf(tables: readonly Pick<FactTable, "note">[]): readonly string[] {
  return [...new Set(tables.map(({ note }) => note))].filter((note) => note !== "");
}

/** Makes the table of changes by one metric. */
function changesTable(facts: Facts, metric: Metric, options: TableOptions): FactTable {
  const columns = columnsOf(facts);
  const changes = mainChanges(facts, metric);
  const against = againstOf(facts, changes);
  const rows = facts.cases.flatMap((each) => {
    const name = shownName(each, options.names);
    const row = changeRow(facts, { each, name, metric, changes, columns, against }, options);
    return [...row, ...firstByteRow(facts, { each, metric, changes, columns, against }, options)];
  });
  const counts = countedColumns(facts, "cpuMs");
  const totals = columns.map(({ name }) => counts.find(({ column }) => column.name === name)?.counts);
  const isCounted = options.countsCpu === true && metric === TIME && counts.length > 0;
  const total = [
    "all, by CPU time",
    ...(against === null ? [] : [""]),
    ...totals.map((each) => (each === undefined ? "" : countCell(each, "cpuMs"))),
  ];
  const head = [
    METRICS[metric].title,
    ...(against === null ? [] : [against.title]),
    ...columns.map(({ spoken }) => spoken),
  ];
  return {
    head,
    rows: isCounted ? [...rows, total] : rows,
    numeric: against === null ? [] : [1],
    keys: against === null ? 1 : 2,
    changes,
    note: "",
  };
}

/** Makes the row of the first byte of a case that streams, where it says otherwise than the time does. */
function firstByteRow(
  facts: Facts,
  row: Omit<ChangeRow, "name">,
  options: TableOptions,
): readonly (readonly string[])[] {
  const { each, changes } = row;
  const first = mainChanges(facts, "firstByteMs").filter((change) => change.case === each.id);
  const says = (change: Change) =>
    changes.find((time) => time.case === each.id && time.target === change.target)?.verdict;
  const isNews =
    row.metric === TIME && each.streams && first.some((change) => change.verdict !== says(change));
  return isNews
    ? changeRow(facts, { ...row, name: "  first byte", metric: "firstByteMs", changes: first }, options)
    : [];
}

/** The column of what the others are compared with. */
interface Against {
  readonly title: string;
  /** Whether cases have several baselines, so that each cell names its own. */
  readonly isMixed: boolean;
}

/** Gives the column of the baselines; null where a case has several: each of two states, with its own. */
function againstOf(facts: Facts, changes: readonly Change[]): Against | null {
  const byCase = Map.groupBy(changes, (change) => change.case);
  const isSingle = [...byCase.values()].every(
    (group) => new Set(group.map(({ baseline }) => baseline)).size === 1,
  );
  if (!isSingle) {
    return null;
  }
  const names = new Set(changes.map(({ baseline }) => targetOf(facts, baseline)?.spoken ?? baseline));
  return { title: names.size > 1 ? "against" : baselineName(facts), isMixed: names.size > 1 };
}

/** What a row of changes is made of. */
interface ChangeRow {
  readonly each: CaseFacts;
  readonly name: string;
  readonly metric: Metric;
  readonly changes: readonly Change[];
  readonly columns: readonly Column[];
  readonly against: Against | null;
}

/** Makes the row of a case; none where nothing was compared or measured in it by the metric. */
function changeRow(
  facts: Facts,
  row: ChangeRow,
  { form = "cell" }: TableOptions,
): readonly (readonly string[])[] {
  const { each, name, metric, changes, columns, against } = row;
  const own = changes.filter((change) => change.case === each.id);
  const baseline = own[0]?.baseline ?? each.baseline;
  const level = levelCell(facts, each.id, baseline, metric);
  if (own.length === 0 && level === "–") {
    return [];
  }
  const named = against?.isMixed === true ? `${targetOf(facts, baseline)?.spoken ?? ""} ${level}` : level;
  const cells = columns.map((column) => {
    const [change] = ofColumn(column, own);
    return change === undefined ? "" : cell(change, form);
  });
  return [[name, ...(against === null ? [] : [named]), ...cells]];
}

/** Writes what a target took in a case: what was not warm has no number; "–" where it was not measured. */
export function levelCell(
  facts: Facts,
  caseId: string | null,
  target: string | null,
  metric: Metric,
): string {
  const level = levelOf(facts, caseId, target, metric);
  if (level === null) {
    return "–";
  }
  return level.why === null ? amount(metric, level.value) : WHY_WORDS[level.why];
}

/** Names a case in a table, with what is not equal about it. */
function shownName(each: CaseFacts, names: CaseNames): string {
  return caseTitle({ ...each, title: caseName(each, names) });
}

/** Makes the table of what each target took, where nothing was compared. */
function levelTables(facts: Facts, { names }: TableOptions): readonly FactTable[] {
  const targets = facts.targets.filter(({ copyOf }) => copyOf === null);
  const columns = Map.groupBy(targets, ({ column }) => column);
  const rows = facts.cases.map((each) => [
    shownName(each, names),
    ...[...columns.values()].map((group) => {
      const cells = group.map(({ name }) => levelCell(facts, each.id, name, TIME));
      return cells.find((text) => text !== "–") ?? "–";
    }),
  ]);
  const isEmpty = rows.every(([, ...cells]) => cells.every((text) => text === "–"));
  const head = [METRICS[TIME].title, ...[...columns.values()].map(([first]) => first?.spoken ?? "")];
  return isEmpty
    ? []
    : [{ head, rows, numeric: head.map((_, index) => index).slice(1), keys: 1, changes: [], note: "" }];
}

/** The targets of an app, without copies. */
function shownTargets({ targets }: Facts): readonly TargetFacts[] {
  return targets.filter(({ copyOf, absent }) => copyOf === null && absent === null);
}

/** Heads the columns of targets: of two states each with the state that it is. */
function headsOf({ run }: Facts, targets: readonly TargetFacts[]): readonly string[] {
  return targets.map(({ spoken, state }) => {
    const part = run.parts.find((each) => each.state === state);
    return part === undefined ? spoken : `${spoken}, ${part.id}`;
  });
}

/** Makes the block of a path of an own app: a row for each metric, a column for each platform. */
function appTable(facts: Facts, each: CaseFacts): FactTable {
  const targets = shownTargets(facts);
  const metrics = OF_APPS.filter((metric) => metric !== "firstByteMs" || each.streams);
  const rows = metrics.flatMap((metric) => metricRow(facts, each.id, metric, targets));
  const cost = targets.map((target) =>
    millionWords(target, levelOf(facts, each.id, target.name, "cpuMs")?.value ?? null),
  );
  const hasCost = cost.some((text) => text !== "–");
  return {
    head: [each.path ?? each.title, ...headsOf(facts, targets)],
    rows: [...rows, ...(hasCost ? [["$ a million", ...cost]] : [])],
    keys: 1,
    note: hasCost ? COST_NOTE : "",
    changes: facts.changes.filter((change) => isOfApp(change, each.id, metrics)),
  };
}

function isOfApp(
  { case: caseId, role, metric, place }: Change,
  of: string | null,
  metrics: readonly Metric[],
): boolean {
  return caseId === of && role === "main" && place === null && metrics.includes(metric);
}

/** Makes the row of a metric: the amount of the baseline, and of what is not compared; the change of all others. */
function metricRow(
  facts: Facts,
  caseId: string | null,
  metric: Metric,
  targets: readonly TargetFacts[],
): readonly (readonly string[])[] {
  const changes = facts.changes.filter((change) => isOfApp(change, caseId, [metric]));
  const cells = targets.map(({ name }) => {
    const change = changes.find(({ target }) => target === name);
    return change === undefined ? levelCell(facts, caseId, name, metric) : cell(change);
  });
  return cells.every((text) => text === "–") ? [] : [[METRICS[metric].short, ...cells]];
}

/** The kinds of memory of which growth is shown, in their order. */
const MEMORY: readonly Metric[] = ["heapBytes", "bufferBytes", "memoryBytes"];
/** What has to be known of memory to read its numbers. */
const MEMORY_NOTE =
  "Growth is of one request, after a collection, without the first block of requests. Resident memory is not collected.";

/** Makes the block of a case's memory: what is in use after the last request, and what one request adds. */
function memoryTables(facts: Facts, each: CaseFacts): readonly FactTable[] {
  const all = facts.trends.filter((trend) => trend.case === each.id);
  if (all.length === 0) {
    return [];
  }
  const targets = shownTargets(facts);
  const trends = all.filter(({ baseline }) => baseline === null);
  const beyond = all.filter(({ baseline }) => baseline !== null);
  const growthRow = (name: string, metric: Metric, own: readonly Trend[]) => {
    const growth = targets.map((target) => {
      const trend = own.find((one) => one.target === target.name && one.metric === metric);
      return trend === undefined ? "–" : trendWords(trend);
    });
    return growth.every((text) => text === "–") ? [] : [[name, ...growth]];
  };
  const rows = MEMORY.flatMap((metric) => {
    const used = metric === "memoryBytes" ? [] : metricRow(facts, each.id, metric, targets);
    const { short } = METRICS[metric];
    return [
      ...used,
      ...growthRow(`${short} a request`, metric, trends),
      ...growthRow("beyond the state before", metric, beyond),
    ];
  });
  const limited = trends.filter(({ metric }) => metric !== "memoryBytes");
  const toLimit = targets.map((target) => {
    const of = (metric: Metric) => levelOf(facts, each.id, target.name, metric)?.value ?? 0;
    return requestsToLimit(target, limited, of("heapBytes") + of("bufferBytes"));
  });
  const limitRows = toLimit.some((text) => text !== "–") ? [["the limit", ...toLimit]] : [];
  const head = [`${each.path ?? each.title}: memory`, ...headsOf(facts, targets)];
  return [{ head, rows: [...rows, ...limitRows], keys: 1, changes: [], note: MEMORY_NOTE }];
}

/** Writes which share of its platform's limit a target takes of a metric: "12 % of 1 s"; "–" without a limit. */
function shareOfLimit(facts: Facts, { name, limits }: TargetFacts, metric: Metric): string {
  const limit = limits.find((each) => each.metric === metric);
  const value = levelOf(facts, null, name, metric)?.value ?? null;
  if (limit === undefined || value === null) {
    return "–";
  }
  return `${formatPercent(Math.max(0, value) / limit.value)} of ${amount(metric, limit.value)}`;
}

/** What has to be known of starts to read their numbers. */
const START_NOTE =
  "Start-up is CPU time of all threads on this machine, without what starts alike without the app. A platform may keep compiled code, and has other processors.";

/** Makes the block of what a target has once, whatever its cases are: the size of an app, and what starting it takes. */
function targetTables(facts: Facts): readonly FactTable[] {
  const targets = shownTargets(facts);
  const starts = OF_TARGETS.flatMap((metric) => metricRow(facts, null, metric, targets));
  const isApp = facts.run.of === "app";
  if (starts.length === 0 && !isApp) {
    return [];
  }
  const sizes = targets.map(({ size }) => (size === null ? "–" : formatBytes(size.bytes)));
  const zipped = targets.map(({ size }) => (size?.gzipBytes == null ? "–" : formatBytes(size.gzipBytes)));
  const named: readonly (readonly string[])[] = [
    ["size", ...sizes],
    ["compressed", ...zipped],
  ];
  const shares = targets.map((target) => shareOfLimit(facts, target, "startupCpuMs"));
  const limits = ["of the limit", ...shares];
  const hasText = ([, ...cells]: readonly string[]) => cells.some((text) => text !== "–");
  const rows = [...(isApp ? named : []).filter(hasText), ...starts, ...[limits].filter(hasText)];
  const head = [facts.app?.folder ?? "each target", ...headsOf(facts, targets)];
  const changes = facts.changes.filter((change) => isOfApp(change, null, OF_TARGETS));
  const note = starts.length === 0 ? "" : START_NOTE;
  return rows.length === 0 ? [] : [{ head, rows, keys: 1, changes, note }];
}
