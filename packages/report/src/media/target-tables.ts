// The tables of what targets took by themselves, and the blocks of an own app, in which metrics are rows and platforms columns.
import { formatBytes, formatPercent, type Table } from "@evenbench/page";
import type { CaseFacts, Change, Facts, Metric, TargetFacts, Trend } from "../facts/facts.ts";
import { caseTitle, levelOf } from "../words/columns.ts";
import { amount, METRICS, TIME } from "../words/metrics.ts";
import { cell } from "../words/notation.ts";
import { millionWords } from "../words/prices.ts";
import { requestsToLimit, trendWords } from "../words/trends.ts";
import { WHY_WORDS } from "../words/why.ts";

/** A table, and how many of its first columns say what a row is of. */
export interface FactTable extends Table {
  readonly keys: number;
  /** The changes that it shows. */
  readonly changes: readonly Change[];
  /** What has to be known to read it, in sentences. */
  readonly notes: readonly string[];
}

/** Lists the notes of tables, each once. */
export function notesOf(tables: readonly Pick<FactTable, "notes">[]): readonly string[] {
  return [...new Set(tables.flatMap(({ notes }) => notes))];
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

/** Makes the table of what each target took, where nothing was compared. */
export function levelTables(facts: Facts): readonly FactTable[] {
  const targets = facts.targets.filter(({ copyOf }) => copyOf === null);
  const columns = Map.groupBy(targets, ({ column }) => column);
  const rows = facts.cases.map((each) => [
    caseTitle(each),
    ...[...columns.values()].map((group) => {
      const cells = group.map(({ name }) => levelCell(facts, each.id, name, TIME));
      return cells.find((text) => text !== "–") ?? "–";
    }),
  ]);
  const isEmpty = rows.every(([, ...cells]) => cells.every((text) => text === "–"));
  const head = [METRICS[TIME].title, ...[...columns.values()].map(([first]) => first?.spoken ?? "")];
  return isEmpty
    ? []
    : [{ head, rows, numeric: head.map((_, index) => index).slice(1), keys: 1, changes: [], notes: [] }];
}

/** Metrics that the table of an app has, in their order. */
const OF_APPS: readonly Metric[] = [TIME, "firstByteMs", "cpuMs", "coldStartMs", "memoryBytes"];
/** What the costs of an app are. */
const COST_NOTE = "$ a million: CPU time + requests, by this machine's CPU time.";
/** Metrics that a target has once, whatever its cases are. */
const OF_TARGETS: readonly Metric[] = ["startupCpuMs", "startupCompileMs", "startupRunMs"];

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
export function appTable(facts: Facts, each: CaseFacts): FactTable {
  const targets = shownTargets(facts);
  const rows = OF_APPS.flatMap((metric) => metricRow(facts, each.id, metric, targets));
  const cost = targets.map((target) => millionWords(facts, each.id, target));
  const hasCost = cost.some((text) => text !== "–");
  return {
    head: [each.title, ...headsOf(facts, targets)],
    rows: [...rows, ...(hasCost ? [["$ a million", ...cost]] : [])],
    keys: 1,
    notes: hasCost ? [COST_NOTE] : [],
    changes: facts.changes.filter((change) => isOfApp(change, each.id, OF_APPS)),
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
export function memoryTables(facts: Facts, each: CaseFacts): readonly FactTable[] {
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
  const head = [`${each.title}: memory`, ...headsOf(facts, targets)];
  return [{ head, rows: [...rows, ...limitRows], keys: 1, changes: [], notes: [MEMORY_NOTE] }];
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
export function targetTables(facts: Facts): readonly FactTable[] {
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
  const notes = starts.length === 0 ? [] : [START_NOTE];
  return rows.length === 0 ? [] : [{ head, rows, keys: 1, changes, notes }];
}
