// Which changes stand where: what a run was made for, by platform and case.
import { listed } from "@evenbench/page";
import type { Answer, CaseFacts, Change, Facts, Level, Metric, TargetFacts } from "../facts/facts.ts";
import { type Counts, countsOf, countWords } from "./counts.ts";
import { METRICS, TIME } from "./metrics.ts";

/** A platform or a server that is compared, whatever its targets are called in each app. */
export interface Column {
  readonly name: string;
  /** Name in sentences and in tables: "Vercel's adapter". */
  readonly spoken: string;
  /** Number of its colour. */
  readonly colour: number;
  readonly targets: readonly TargetFacts[];
}

/** Gives what a run was made for, by one metric, over all places, in the order of the cases. */
export function mainChanges({ cases, changes }: Facts, metric: Metric = TIME): readonly Change[] {
  const main = changes.filter(
    (change) => change.role === "main" && change.metric === metric && change.place === null,
  );
  const ofCases = cases.flatMap(({ id }) => main.filter((change) => change.case === id));
  return [...ofCases, ...main.filter((change) => change.case === null)];
}

/** Lists what the run was made to compare, in the order of the targets. */
export function columnsOf(facts: Facts): readonly Column[] {
  return columnsIn(
    facts,
    facts.changes.filter(({ role }) => role === "main"),
  );
}

/** Lists what is compared in some changes, in the order of the targets. */
export function columnsIn({ targets }: Facts, changes: readonly Change[]): readonly Column[] {
  const compared = new Set(changes.map(({ target }) => target));
  const groups = Map.groupBy(
    targets.filter(({ name }) => compared.has(name)),
    ({ column }) => column,
  );
  return [...groups].map(([name, group]) => {
    const [{ spoken, colour }] = group as [TargetFacts];
    return { name, spoken, colour, targets: group };
  });
}

/** Gives the changes of a column. */
export function ofColumn({ targets }: Column, changes: readonly Change[]): readonly Change[] {
  const names = new Set(targets.map(({ name }) => name));
  return changes.filter(({ target }) => names.has(target));
}

/** Finds a target by its name; null for none. */
export function targetOf({ targets }: Facts, name: string | null): TargetFacts | null {
  return targets.find((target) => target.name === name) ?? null;
}

/** Finds what a target took in a case, without load and place; null where that was not measured. */
export function levelOf(
  { levels }: Facts,
  caseId: string | null,
  target: string | null,
  metric: Metric = TIME,
): Level | null {
  const isIt = (level: Level) =>
    level.case === caseId &&
    level.target === target &&
    level.metric === metric &&
    level.load === null &&
    level.place === null;
  return levels.find(isIt) ?? null;
}

/** Finds what a target answered in a case, without load and place; null where it was not asked. */
export function answerOf({ answers }: Facts, caseId: string, target: string): Answer | null {
  const isIt = (answer: Answer) =>
    answer.case === caseId && answer.target === target && answer.load === null && answer.place === null;
  return answers.find(isIt) ?? null;
}

/** Names what the others are compared with: the baselines of the main changes, or the state before. */
export function baselineName(facts: Facts): string {
  const before = facts.run.parts.filter(({ state }) => state === "before");
  if (before.length > 0) {
    return listed(before.map(({ id }) => id));
  }
  const main = facts.changes.filter(({ role }) => role === "main");
  const compared = main.map(({ baseline }) => baseline);
  const baselines = compared.length > 0 ? compared : facts.cases.map(({ baseline }) => baseline);
  const names = [...new Set(baselines)].map((baseline) => targetOf(facts, baseline)?.spoken ?? baseline);
  return listed([...new Set(names.filter((each) => each !== null))]);
}

/** Names a case for programs: of own servers what they are asked, else its id; null for all cases, which have no name. */
export function caseName({ cases }: Pick<Facts, "cases">, id: string | null): string | null {
  const found = cases.find((each) => each.id === id);
  return found === undefined || found.path === null ? id : found.title;
}

/** Names a case for people: its title, and that targets run unlike code for it. */
export function caseTitle({ title, notSameCode }: Pick<CaseFacts, "title" | "notSameCode">): string {
  return notSameCode === null ? title : `${title} (unlike code)`;
}

/** Names the cases whose targets differ by their adapter as well as by their runtime, in a sentence; none where no case does. */
export function adapterNotes(facts: Facts): readonly string[] {
  const differs = (a: string | null | undefined, b: string | null | undefined) =>
    a != null && b != null && a !== b;
  const both = mainChanges(facts).filter(({ target, baseline }) => {
    const one = targetOf(facts, target);
    const other = targetOf(facts, baseline);
    return differs(one?.runtime, other?.runtime) && differs(one?.adapter, other?.adapter);
  });
  const cases = facts.cases.filter(({ id }) => both.some((change) => change.case === id));
  return cases.length === 0 ? [] : [`A difference may be the adapter's: ${cases.map(caseTitle).join("; ")}.`];
}

/** Names what is counted: "path" for own servers and apps, "case" for those of the repository. */
export function caseNoun({ cases }: { readonly cases: readonly Pick<CaseFacts, "path">[] }): string {
  return cases.some(({ path }) => path !== null) ? "path" : "case";
}

interface CountedColumn {
  readonly column: Column;
  readonly counts: Counts;
}

/** Counts the verdicts of each column that is compared by a metric. */
function countedColumns(facts: Facts, metric: Metric = TIME): readonly CountedColumn[] {
  const changes = mainChanges(facts, metric);
  return columnsOf(facts).flatMap((column) => {
    const own = ofColumn(column, changes);
    return own.length === 0 ? [] : [{ column, counts: countsOf(own) }];
  });
}

/**
 * Says how each column compares by one metric, in a sentence for each: "Cloudflare's workerd against Node.js: faster in 3
 * of 7 cases, slower in 1, unclear in 3."; empty where nothing is compared by it.
 */
export function answers(facts: Facts, metric: Metric = TIME): readonly string[] {
  return countedColumns(facts, metric).map(({ column, counts }, index) =>
    index === 0
      ? `${column.spoken} against ${baselineName(facts)}: ${countWords(counts, metric, caseNoun(facts))}.`
      : `${column.spoken}: ${countWords(counts, metric)}.`,
  );
}

/** Says how columns compare by a metric beside time, in one sentence: "CPU time: A less in 5 of 7; B same in 7 of 7."; none where nothing is compared by it. */
export function answerBeside(facts: Facts, metric: Metric): readonly string[] {
  const said = countedColumns(facts, metric).map(
    ({ column, counts }) => `${column.spoken} ${countWords(counts, metric)}`,
  );
  return said.length === 0 ? [] : [`${METRICS[metric].title}: ${said.join("; ")}.`];
}
