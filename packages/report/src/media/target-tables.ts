// The tables of what targets took by themselves, and the blocks of an own app, in which metrics are rows and platforms columns.
import { formatBytes, formatPercent, listed, type Table } from "@evenbench/page";
import type { AppFacts, CaseFacts, Change, Facts, Metric, TargetFacts, Trend } from "../facts/facts.ts";
import { caseTitle, levelOf } from "../words/columns.ts";
import { amount, METRICS, TIME } from "../words/metrics.ts";
import { cell } from "../words/notation.ts";
import { millionWords } from "../words/prices.ts";
import { requestsToLimit, trendWords } from "../words/trends.ts";
import { WHY_WORDS } from "../words/why.ts";

/** A table, and how many of its first columns say what a row is of. */
export interface FactTable extends Table {
  readonly keys: number;
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

/** Rows of a table in which metrics are rows and targets columns. */
type Block = Pick<FactTable, "rows" | "changes" | "notes">;

function block(rows: Block["rows"], changes: Block["changes"], ...notes: Block["notes"]): Block {
  return { rows, changes, notes: rows.length === 0 ? [] : notes };
}

/** Makes the table of blocks, with a column for each target; none without a row. @param title heads the names of rows. */
function tableOf(facts: Facts, title: string, ...blocks: readonly Block[]): readonly FactTable[] {
  const rows = blocks.flatMap((each) => each.rows);
  const heads = shownTargets(facts).map((target, _, all) => {
    const { spoken, state, app } = target;
    const part = facts.run.parts.find((each) => each.state === state)?.id;
    const isOnly = all.every((each) => each.spoken !== spoken || each.app === app);
    const which = part ?? (isOnly ? null : app);
    return which === null ? spoken : `${spoken}, ${which}`;
  });
  const changes = blocks.flatMap((each) => each.changes);
  return rows.length === 0
    ? []
    : [{ head: [title, ...heads], rows, keys: 1, changes, notes: notesOf(blocks) }];
}

/** The targets that have a column: no copies. */
function shownTargets({ targets }: Facts): readonly TargetFacts[] {
  return targets.filter(({ copyOf, absent }) => copyOf === null && absent === null);
}

/** Makes a row with a cell for each target; none where every cell is empty. */
function rowOf(facts: Facts, name: string, cellOf: (target: TargetFacts) => string): Block["rows"] {
  const cells = shownTargets(facts).map(cellOf);
  return cells.every((text) => text === "–") ? [] : [[name, ...cells]];
}

/** Makes a row for each metric: the amount of the baseline, and of what is not compared; the change of all others. */
function metricBlock(facts: Facts, caseId: string | null, ...metrics: readonly Metric[]): Block {
  const changes = facts.changes.filter(
    ({ case: of, role, metric, place }) =>
      of === caseId && role === "main" && place === null && metrics.includes(metric),
  );
  const rows = metrics.flatMap((metric) =>
    rowOf(facts, METRICS[metric].short, ({ name }) => {
      const change = changes.find((each) => each.target === name && each.metric === metric);
      return change === undefined ? levelCell(facts, caseId, name, metric) : cell(change);
    }),
  );
  return block(rows, changes);
}

/** Makes the tables of an own app: one for each path, and one for what is of all; of one path a single one. */
export function appTables(facts: Facts): readonly FactTable[] {
  const blocksOf = ({ id }: CaseFacts) => ({
    requests: [
      metricBlock(facts, id, TIME, "firstByteMs", "cpuMs", "coldStartMs", "memoryBytes"),
      memoryBlock(facts, id),
    ],
    cost: costBlock(facts, id),
  });
  const ofAll = [startBlock(facts), sizeBlock(facts)];
  const [first, ...others] = facts.cases;
  if (first !== undefined && others.length === 0) {
    const { requests, cost } = blocksOf(first);
    return tableOf(facts, first.title, ...requests, ...ofAll, cost);
  }
  const ofPaths = facts.cases.flatMap((each) => {
    const { requests, cost } = blocksOf(each);
    return tableOf(facts, each.title, ...requests, cost);
  });
  return [...ofPaths, ...tableOf(facts, ofAllPaths(facts), ...ofAll)];
}

/** Names what is of all paths: the app's folder. */
function ofAllPaths({ app }: Facts): string {
  return app?.folder ?? "each target";
}

/** Makes the tables of what a run measured beside requests: memory of each case, and starts. */
export function tablesBeside(facts: Facts): readonly FactTable[] {
  return [
    ...facts.cases.flatMap((each) => memoryTables(facts, each)),
    ...tableOf(facts, ofAllPaths(facts), startBlock(facts)),
  ];
}

/** Makes the table of a case's memory; none where it was not read. */
export function memoryTables(facts: Facts, each: CaseFacts): readonly FactTable[] {
  const targets = facts.targets.filter(({ app }) => app === each.app);
  return tableOf({ ...facts, targets }, `${each.title}: memory`, memoryBlock({ ...facts, targets }, each.id));
}

const COST_NOTE = "$ a million: CPU time + requests, by this machine's CPU time.";

function costBlock(facts: Facts, caseId: string): Block {
  const rows = rowOf(facts, "$ a million", (target) => millionWords(facts, caseId, target));
  return block(rows, [], COST_NOTE);
}

const MEMORY_NOTE =
  "Growth is of one request, after a collection, without the first block of requests. Resident memory is not collected.";

/** Makes the rows of a case's memory: what is in use after the last request, and what one request adds. */
function memoryBlock(facts: Facts, caseId: string): Block {
  const all = facts.trends.filter((trend) => trend.case === caseId);
  const own = all.filter(({ baseline }) => baseline === null);
  const beyond = all.filter(({ baseline }) => baseline !== null);
  const growth = (name: string, metric: Metric, trends: readonly Trend[]) =>
    rowOf(facts, name, (target) => {
      const trend = trends.find((one) => one.target === target.name && one.metric === metric);
      return trend === undefined ? "–" : trendWords(trend);
    });
  const kinds: readonly Metric[] = ["heapBytes", "bufferBytes", "memoryBytes"];
  const rows = kinds.flatMap((metric) => [
    ...(metric === "memoryBytes" ? [] : metricBlock(facts, caseId, metric).rows),
    ...growth(`${METRICS[metric].short} a request`, metric, own),
    ...growth("beyond the state before", metric, beyond),
  ]);
  const limited = own.filter(({ metric }) => metric !== "memoryBytes");
  const toLimit = rowOf(facts, "memory's limit", (target) => {
    const of = (metric: Metric) => levelOf(facts, caseId, target.name, metric)?.value ?? 0;
    return requestsToLimit(target, limited, of("heapBytes") + of("bufferBytes"));
  });
  return block([...rows, ...toLimit], [], MEMORY_NOTE);
}

const START_NOTE =
  "Start-up is CPU time of all threads on this machine, without what starts alike without the app. A platform may keep compiled code, and has other processors.";

function startBlock(facts: Facts): Block {
  const { rows, changes } = metricBlock(facts, null, "startupCpuMs", "startupCompileMs", "startupRunMs");
  const limit = rowOf(facts, "start-up's limit", (target) => shareOfLimit(facts, target, "startupCpuMs"));
  return block([...rows, ...limit], changes, START_NOTE);
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

/** Makes the rows of an app's size, with what is simulated of its services: that is in none of them. */
function sizeBlock(facts: Facts): Block {
  const rows = [
    ...rowOf(facts, "size", ({ size }) => (size === null ? "–" : formatBytes(size.bytes))),
    ...rowOf(facts, "compressed", ({ size }) =>
      size?.gzipBytes == null ? "–" : formatBytes(size.gzipBytes),
    ),
  ];
  // What is simulated is said also where no size is known.
  return { rows, changes: [], notes: simulatedNotes(facts.app?.simulated ?? []) };
}

/** Says which services other programs stand for; none where there are none. */
export function simulatedNotes(simulated: AppFacts["simulated"]): readonly string[] {
  const byProgram = Map.groupBy(simulated, ({ by }) => by);
  return [...byProgram].map(([by, services]) => {
    const names = listed([...new Set(services.map(({ binding }) => binding))]);
    return `Simulated by ${by}, and new at each start: ${names}. Their time and memory are of this machine, and count as the app's.`;
  });
}
