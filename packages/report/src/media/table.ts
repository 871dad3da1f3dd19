// The one table of a run, for all media that have text.
import type { CaseFacts, Change, Facts, Metric } from "../facts/facts.ts";
import {
  baselineName,
  type Column,
  caseTitle,
  columnsOf,
  mainChanges,
  ofColumn,
  targetOf,
} from "../words/columns.ts";
import { METRICS, TIME } from "../words/metrics.ts";
import { cell, type Form } from "../words/notation.ts";
import { appTables, type FactTable, levelCell, levelTables, tablesBeside } from "./target-tables.ts";

/** Metrics that have a table of their own where a run compared by them. */
const TABLES: readonly Metric[] = ["coldStartMs"];

/**
 * Makes the tables of a run: one by time with a row for each case, and one for each further metric that it compared by; of a
 * run that compared nothing what each target took; then of what was measured beside requests. Metrics are the rows of an own
 * app's tables.
 *
 * @param form of the changes of cases. Default: "cell".
 */
export function tablesOf(facts: Facts, form?: Form): readonly FactTable[] {
  if (facts.run.of === "app") {
    return appTables(facts);
  }
  const compared = [TIME, ...TABLES].filter((metric) => mainChanges(facts, metric).length > 0);
  const tables = compared.map((metric) => changesTable(facts, metric, form));
  return [...(tables.length > 0 ? tables : levelTables(facts)), ...tablesBeside(facts)];
}

function changesTable(facts: Facts, metric: Metric, form?: Form): FactTable {
  const columns = columnsOf(facts);
  const changes = mainChanges(facts, metric);
  const against = againstOf(facts, changes);
  const rows = facts.cases.flatMap((each) => {
    const row = { each, name: caseTitle(each), metric, changes, columns, against, form };
    return [...changeRow(facts, row), ...firstByteRow(facts, row)];
  });
  return {
    head: [
      METRICS[metric].title,
      ...beside(against, against?.title ?? ""),
      ...columns.map(({ spoken }) => spoken),
    ],
    rows,
    numeric: against === null ? [] : [1],
    keys: against === null ? 1 : 2,
    changes,
    notes: against === null ? [`Before each change stands the time of ${baselineName(facts)}.`] : [],
  };
}

/** Gives the cell of the baselines' column; none where there is no such column. */
function beside(against: Against | null, text: string): readonly string[] {
  return against === null ? [] : [text];
}

/** Makes the row of the first byte of a case that streams, where it says otherwise than the time does. */
function firstByteRow(facts: Facts, row: ChangeRow): readonly (readonly string[])[] {
  const { each, changes } = row;
  const first = mainChanges(facts, "firstByteMs").filter((change) => change.case === each.id);
  const says = (change: Change) =>
    changes.find((time) => time.case === each.id && time.target === change.target)?.verdict;
  const isNews =
    row.metric === TIME && each.streams && first.some((change) => change.verdict !== says(change));
  return isNews
    ? changeRow(facts, { ...row, name: "  first byte", metric: "firstByteMs", changes: first })
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

interface ChangeRow {
  readonly each: CaseFacts;
  readonly name: string;
  readonly metric: Metric;
  readonly changes: readonly Change[];
  readonly columns: readonly Column[];
  readonly against: Against | null;
  readonly form: Form | undefined;
}

/** Makes the row of a case; none where nothing was compared or measured in it by the metric. */
function changeRow(facts: Facts, row: ChangeRow): readonly (readonly string[])[] {
  const { each, name, metric, changes, columns, against, form } = row;
  const own = changes.filter((change) => change.case === each.id);
  const baseline = own[0]?.baseline ?? each.baseline;
  const level = levelCell(facts, each.id, baseline, metric);
  if (own.length === 0 && level === "–") {
    return [];
  }
  const named = against?.isMixed === true ? `${targetOf(facts, baseline)?.spoken ?? ""} ${level}` : level;
  const cells = columns.map((column) => {
    const [change] = ofColumn(column, own);
    if (change === undefined) {
      return "";
    }
    const words = cell(change, form);
    return against === null ? `${levelCell(facts, each.id, change.baseline, metric)} ${words}` : words;
  });
  return [[name, ...beside(against, named), ...cells]];
}
