// The tables of docs/coverage.md.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { CONFIDENCE_LEVEL } from "@evenbench/stats";
import { coversTruth, halfWidthWords, percentOf, tableOf } from "./resample.ts";
import {
  COLLECTING_SCENARIOS,
  CPU_TIME_SCENARIO,
  MIXED_SCENARIOS,
  RUNS,
  USUAL_SCENARIO,
  VANTAGE_SCENARIOS,
} from "./scenarios.ts";
import {
  calledNotWarm,
  caseShares,
  cpuTimeShares,
  NEARLY_SAME,
  type PaidIntervals,
  paidIntervals,
  paidRatio,
  runShares,
  samenessShares,
  speedShares,
  stoppedSamenessShares,
  stoppedShares,
  vantageShares,
} from "./shares.ts";

/** Rows of a table: lists of cells, of which the first names the row. */
type Rows = readonly (readonly string[])[];

/** A table of docs/coverage.md. */
interface CoverageTable {
  readonly title: string;
  /** The number of simulations in words: "4000 runs a row". */
  readonly count: string;
  readonly head: readonly string[];
  /** Simulates the rows, which takes minutes. */
  rows(): Rows;
}

/** The tables that are made, and their page. */
interface CoverageOptions {
  /** A page that takes the tables, in the place of those of the same heading. Default: they are printed alone. */
  readonly file?: string | undefined;
  /** A part of the titles of the tables that are made. Default: all are. */
  readonly only?: string | undefined;
}

/**
 * Simulates runs whose truth is known, and prints the tables of docs/coverage.md.
 *
 * @param runs number of simulated runs for each row; some tables have a part of it.
 */
export async function coverage(runs: number, { file, only = "" }: CoverageOptions): Promise<void> {
  let page = file !== undefined && existsSync(file) ? await readFile(file, "utf8") : "";
  // Each table takes its seeds from a range of its own, so that no two tables simulate the same runs.
  const tables = [
    runsTable(3, runs),
    runsTable(10, runs),
    samenessTable(3, runs),
    samenessTable(10, runs),
    stoppedTable(Math.ceil(runs / 4)),
    stoppedSamenessTable(Math.ceil(runs / 4)),
    cpuTimeTable(Math.ceil(runs / 8)),
    paidTable(Math.ceil(runs / 4)),
    kindsTable(Math.ceil(runs / 13)),
    fallsTable(Math.ceil(runs / 13)),
    vantagesTable(Math.ceil(runs / 2)),
    speedTable(Math.ceil(runs / 2)),
  ];
  for (const table of tables.filter(({ title }) => title.includes(only))) {
    const lines = [tableHeading(table), "", ...tableOf(table.head, table.rows())].join("\n");
    console.log(`${lines}\n`);
    page = withTable(page, table.title, lines);
  }
  if (file !== undefined) {
    await writeFile(file, page);
  }
}

function tableHeading({ title, count }: CoverageTable): string {
  return `### ${title} (${count})`;
}

/** Puts a table in the place of the one with the same heading; a page without it stays as it is. */
function withTable(page: string, title: string, lines: string): string {
  const start = page.indexOf(`### ${title} (`);
  if (start === -1) {
    return page;
  }
  const end = page.indexOf("\n\n", page.indexOf("\n|", start));
  return page.slice(0, start) + lines + (end === -1 ? "\n" : page.slice(end));
}

/** Makes the table of how often intervals and verdicts of runs are right. */
function runsTable(trials: number, runs: number): CoverageTable {
  return {
    title: `${trials} trials: what is said of runs`,
    count: `${runs} runs a row`,
    head: ["runs", "covered", "half-width", "copies called different", "5 % found", "10 % found"],
    rows: () => rowsOf(RUNS, (cases, row) => runShares(cases, trials, runs, 100 * trials + row)),
  };
}

/** The head of the tables on sameness. */
const SAMENESS_HEAD: readonly string[] = ["runs", ...NEARLY_SAME.map((factor) => longerBy(factor))];

/** Writes a factor in words: "5 % longer". */
function longerBy(factor: number): string {
  return `${Math.round(100 * (factor - 1))} % longer`;
}

/** Makes the table of how often targets are called the same that take a little longer. */
function samenessTable(trials: number, runs: number): CoverageTable {
  return {
    title: `${trials} trials: called the same`,
    count: `${runs} runs a row`,
    head: SAMENESS_HEAD,
    rows: () =>
      rowsOf(RUNS, (cases, row) => samenessShares(cases, trials, runs, 50_000 + 100 * trials + row)),
  };
}

/** Makes the same table for runs whose cases end once they are decided. */
function stoppedSamenessTable(runs: number): CoverageTable {
  return {
    title: "Cases that end once decided, 3 to 8 trials: called the same",
    count: `${runs} runs a cell`,
    head: SAMENESS_HEAD,
    rows: () => rowsOf(RUNS, (cases, row) => stoppedSamenessShares(cases, 8, runs, 60_000 + 100 * row)),
  };
}

/** Makes the table of verdicts of runs whose cases end once they are decided. */
function stoppedTable(runs: number): CoverageTable {
  const longer = "trials where one target takes 50 % longer";
  return {
    title: "Cases that end once decided, 3 to 8 trials",
    count: `${runs} runs a row`,
    head: ["runs", "copies called different", "covered", "5 % found", "10 % found", longer],
    rows: () => rowsOf(RUNS, (cases, row) => stoppedShares(cases, 8, runs, 900 + row)),
  };
}

/** Makes the table of runs whose cases may also end on their CPU time. */
function cpuTimeTable(runs: number): CoverageTable {
  return {
    title: "Cases that also end on CPU time, 3 to 8 trials",
    count: `${runs} runs a cell`,
    head: [
      "runs",
      "copies called different by time",
      "by CPU time",
      "5 % more: time says it",
      "time or CPU time says it",
      "trials",
      "ended by time alone: time says it",
      "trials, by time alone",
    ],
    rows: () => rowsOf(RUNS, (cases, row) => cpuTimeShares(cases, 8, runs, 70_000 + 100 * row)),
  };
}

/** Makes the table of how often intervals of CPU time hold what is paid. */
function paidTable(runs: number): CoverageTable {
  return {
    title: `CPU time that some requests cost: ${100 * CONFIDENCE_LEVEL} % intervals that hold what is paid`,
    count: `${runs} runs a cell`,
    head: [
      "requests that cost more",
      "paid ratio",
      "by the mean, 3 trials",
      "half-width",
      "by the mean, 10 trials",
      "by the middle, 3 trials",
      "half-width",
      "by the middle, 10 trials",
    ],
    rows: () =>
      rowsOf(COLLECTING_SCENARIOS, (changes, row) => {
        const short = paidIntervals(changes, 3, runs, 80_000 + 100 * row);
        const long = paidIntervals(changes, 10, runs, 80_050 + 100 * row);
        const sharesBy = (level: keyof PaidIntervals): readonly string[] => [
          short[level].share(coversTruth),
          halfWidthWords(short[level].all),
          long[level].share(coversTruth),
        ];
        const paid = paidRatio({ ...CPU_TIME_SCENARIO, ...changes });
        return [paid.toFixed(2), ...sharesBy("byMean"), ...sharesBy("byMiddle")];
      }),
  };
}

/** Makes the table of cases whose instances or requests are of two kinds. */
function kindsTable(runs: number): CoverageTable {
  const sizes = [5, 10];
  const perSize = (what: string): readonly string[] => sizes.map((trials) => `${what}, ${trials} trials`);
  return {
    title: "Instances and requests in two kinds, of all targets alike",
    count: `${runs} runs a cell`,
    head: ["20 rounds a trial, unless said", ...perSize("coverage"), ...perSize("false verdicts")],
    rows: () =>
      rowsOf(MIXED_SCENARIOS, (kinds, row) => {
        const shares = sizes.map((trials) =>
          caseShares({ ...USUAL_SCENARIO, ...kinds, trials }, runs, 3000 + 100 * row + trials),
        );
        return [...shares.map(({ covered }) => covered), ...shares.map(({ different }) => different)];
      }),
  };
}

/** Makes the table of how often instances are called not warm whose times fall. */
function fallsTable(runs: number): CoverageTable {
  const lengths = [20, 50, 100];
  const falls = [0, 0.05, 0.1, 0.15, 0.2, 0.3];
  return {
    title: "Instances whose times fall while they are measured: called not warm",
    count: `${runs} runs a cell`,
    head: ["fall from the first round to the last", ...lengths.map((rounds) => `${rounds} rounds`)],
    rows: () =>
      falls.map((fall, row) => {
        const shares = lengths.map((roundsPerTrial) =>
          calledNotWarm({ ...USUAL_SCENARIO, fall, roundsPerTrial }, runs, 9000 + 100 * row + roundsPerTrial),
        );
        return [percentOf(fall), ...shares];
      }),
  };
}

/** Makes the table of intervals over several vantages. */
function vantagesTable(runs: number): CoverageTable {
  const counts = [2, 3, 5, 8];
  return {
    title: `Vantages: coverage of the pooled ${100 * CONFIDENCE_LEVEL} % interval`,
    count: `${runs} runs a cell`,
    head: [
      "5 ms slower, 5 trials each",
      ...counts.map((count) => `${count} vantages`),
      "3 vantages, by trials",
    ],
    rows: () =>
      rowsOf(VANTAGE_SCENARIOS, (route, row) => {
        const shares = counts.map((count) => vantageShares(route, count, runs, 100 * row + count));
        return [...shares.map(({ covered }) => covered), shares[1]?.coveredByTrials ?? "-"];
      }),
  };
}

/** Makes the table of runs on a machine whose speed changes from trial to trial. */
function speedTable(runs: number): CoverageTable {
  const sizes = [3, 10];
  const perSize = (what: string): readonly string[] => sizes.map((trials) => `${what}, ${trials} trials`);
  return {
    title: "A machine that is slower in half of the trials",
    count: `${runs} runs a row`,
    head: [
      "these take longer by",
      ...perSize("runs called unsteady"),
      ...perSize("copies called different"),
      ...perSize("ratio depends on the speed: called different"),
    ],
    rows: () =>
      [0, 0.1, 0.2, 0.3, 0.4, 0.6].map((longer) => {
        // The same draws in all rows: what the change of speed moves is all that moves.
        const shares = sizes.map((trials) => speedShares(1 + longer, trials, runs, 95_000 + trials));
        return [
          percentOf(longer),
          ...shares.map(({ unsteady }) => unsteady),
          ...shares.map(({ different }) => different),
          ...shares.map(({ dependent }) => dependent),
        ];
      }),
  };
}

/** Makes a row of each item, which its name begins. */
function rowsOf<Item>(
  given: Readonly<Record<string, Item>>,
  shares: (item: Item, row: number) => readonly string[],
): Rows {
  return Object.entries(given).map(([name, item], row) => [name, ...shares(item, row)]);
}
