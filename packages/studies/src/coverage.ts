import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { Metric, Sample } from "@evenbench/results";
import {
  analyseFit,
  analyseVantages,
  type CaseFit,
  CONFIDENCE_LEVEL,
  fitCase,
  fitTwoWay,
  instancesOf,
  intervalOf,
  isDifference,
  type MsByRound,
  mean,
  type Prior,
  priorOfCases,
  type RatioInterval,
  seededRandom,
  type Verdict,
  warmthOfTrial,
} from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { drawNormal, type Scenario, simulateSamples, testSample } from "@evenbench/stats/testing";
import {
  type Checked,
  coversTruth,
  halfWidthWords,
  type JudgedRatio,
  type Many,
  many,
  manyOf,
  percentOf,
  type RedrawnCase,
  tableOf,
  untilDecided,
  verdictIf,
} from "./resample.ts";

/** The question of all simulated cases: two targets against a baseline with its copy. */
const QUESTION = {
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other", "another"],
} as const;
/** The usual simulated case. */
const USUAL_SCENARIO: Scenario = {
  name: "neither",
  trials: 5,
  roundsPerTrial: 20,
  instanceSd: 0.01,
  exchangeSd: 0.03,
  autocorrelation: 0,
  drift: 0,
  outliers: 0,
  heavyTails: false,
};

/**
 * Standard deviations between the instances of seven cases, as fractions: those of real cases, from loops to pages.
 */
const INSTANCE_SDS = [0.012, 0.015, 0.02, 0.03, 0.05, 0.08, 0.11];

/** A simulated case, with what is known of its instances before. */
interface KnownCase extends Scenario {
  /** Standard deviation between instances that the case declares, as a fraction. Not there: it declares none. */
  readonly scatter?: number;
}

/**
 * Simulated runs by their name in the tables, as lists of their cases. In these only instances scatter, and the
 * requests of one do not: three rounds measure an instance exactly.
 */
export const RUNS: Readonly<Record<string, readonly KnownCase[]>> = {
  "seven cases whose instances scatter by 1.2 to 11 %": knownCases(INSTANCE_SDS),
  "the same, known to within 1.5 times": knownCases(INSTANCE_SDS, ({ instanceSd }, index) => ({
    scatter: instanceSd * (index % 2 === 0 ? 1.5 : 1 / 1.5),
  })),
  "the same, taken the wrong way round": knownCases(INSTANCE_SDS, (_, index) => ({
    scatter: INSTANCE_SDS.at(-1 - index) as number,
  })),
  "one target scatters 1.6 times as much": knownCases(INSTANCE_SDS, ({ instanceSd }) => ({
    target: { instanceSd: 1.6 * instanceSd },
  })),
  "two cases have instances of two kinds, 40 % apart": knownCases(INSTANCE_SDS, (_, index) =>
    index < 2 ? { instanceKinds: { share: 0.5, factor: 1.4 } } : {},
  ),
  "heavy tails (Student's t, 5 degrees)": knownCases(INSTANCE_SDS, () => ({ instanceTails: 5 })),
  "two cases, 2 and 5 %": knownCases([0.02, 0.05]),
  "one case alone, 2 %": knownCases([0.02]),
};

/** Single cases in which requests or instances come in kinds. */
const MIXED_SCENARIOS: Readonly<Record<string, Partial<Scenario>>> = {
  neither: {},
  "half of the instances take 10 % longer": { instanceKinds: { share: 0.5, factor: 1.1 } },
  "half of the instances take 40 % longer": { instanceKinds: { share: 0.5, factor: 1.4 } },
  "one instance in five takes 40 % longer": { instanceKinds: { share: 0.2, factor: 1.4 } },
  "every 2nd request takes 1.75 times as long": { exchangeKinds: { share: 1 / 2, factor: 1.75 } },
  "the same in 21 rounds: medians lie on either level": {
    roundsPerTrial: 21,
    exchangeKinds: { share: 1 / 2, factor: 1.75 },
  },
  "every 3rd request takes 2.7 times as long": { exchangeKinds: { share: 1 / 3, factor: 2.7 } },
  "every 6th request takes 1.7 times as long": { exchangeKinds: { share: 1 / 6, factor: 1.7 } },
};

/** The usual case of which CPU time is simulated: as many rounds as a page of a framework gets. */
const CPU_TIME_SCENARIO: Scenario = {
  ...USUAL_SCENARIO,
  roundsPerTrial: 14,
  instanceSd: 0.02,
  trialSd: 0.1,
  exchangeSd: 0.05,
};

/** Cases in which some requests cost more CPU time, of one target where nothing else is said. */
export const COLLECTING_SCENARIOS: Readonly<Record<string, Partial<Scenario>>> = {
  none: {},
  "every 2nd, 1.75 times": { target: { exchangeKinds: { share: 1 / 2, factor: 1.75 } } },
  "every 3rd, 1.6 times": { target: { exchangeKinds: { share: 1 / 3, factor: 1.6 } } },
  "every 3rd, 2.3 times": { target: { exchangeKinds: { share: 1 / 3, factor: 2.3 } } },
  "the same, of all targets": { exchangeKinds: { share: 1 / 3, factor: 2.3 } },
  "every 6th, 1.7 times": { target: { exchangeKinds: { share: 1 / 6, factor: 1.7 } } },
  "1 of 50 by chance, 3 times": { target: { outliers: 0.02 } },
  "the same by chance, of all targets": { outliers: 0.02 },
};

/** Simulated vantages. Times are in milliseconds. */
interface VantageScenario {
  /** Milliseconds by which the target takes longer, in the mean of all routes that there could be. */
  readonly effectMs: number;
  /** Standard deviation of the effect between routes. */
  readonly betweenMs: number;
  /** Factor of the scatter of the first vantage's trials. Default: 1. */
  readonly scatter?: number;
  /** Milliseconds that the route of the first vantage adds to the target alone. Default: 0. */
  readonly addsMs?: number;
}

/** Vantages, by their name in the table. */
const VANTAGE_SCENARIOS: Readonly<Record<string, VantageScenario>> = {
  "routes do not differ": { effectMs: 5, betweenMs: 0 },
  "routes differ by 1 ms": { effectMs: 5, betweenMs: 1 },
  "routes differ by 5 ms": { effectMs: 5, betweenMs: 5 },
  "one vantage's trials scatter 10 times as much": { effectMs: 5, betweenMs: 0, scatter: 10 },
  "one vantage is 10 ms slower to the target alone": { effectMs: 5, betweenMs: 0, addsMs: 10 },
};

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

/** Factors of a target's time, for each of which it is found how often the target is called the same. */
const NEARLY_SAME = [1, 1.02, 1.04, 1.05, 1.07];

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
    rows: () =>
      rowsOf(RUNS, (cases, row) =>
        NEARLY_SAME.map((truth, column) => {
          const random = seededRandom(60_000 + 100 * row + column);
          const verdicts = manyOf(runs, () => verdictsOfRun(cases, 8, random, { truth, endsEarly: true }));
          return verdicts.share(({ verdict }) => verdict === "same");
        }),
      ),
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

/** Makes a row of each item, which its name begins. */
function rowsOf<Item>(
  given: Readonly<Record<string, Item>>,
  shares: (item: Item, row: number) => readonly string[],
): Rows {
  return Object.entries(given).map(([name, item], row) => [name, ...shares(item, row)]);
}

/** Makes cases whose instances have these standard deviations. @param more gives further fields of a case. */
function knownCases(
  instanceSds: readonly number[],
  more: (scenario: Scenario, index: number) => Partial<KnownCase> = () => ({}),
): readonly KnownCase[] {
  return instanceSds.map((instanceSd, index) => {
    const scenario: Scenario = {
      ...USUAL_SCENARIO,
      name: `case ${index}`,
      instanceSd,
      trialSd: 0.1,
      exchangeSd: 0,
      roundsPerTrial: 3,
    };
    return { ...scenario, ...more(scenario, index) };
  });
}

/** The verdict of a simulated run on the first target of one of its cases. */
interface SimulatedVerdict extends JudgedRatio {
  /** The true factor of the target's time. */
  readonly truth: number;
  readonly verdict: Verdict;
  /** The verdict of its CPU time; null where that was not simulated. */
  readonly ofCpu: Verdict | null;
  /** Number of trials that the case had when it ended. */
  readonly trials: number;
}

/** Options of a simulated run. */
interface SimulationOptions {
  /** Factor of the first target's time. Default: 1. */
  readonly truth?: number;
  /** True where cases end once they are decided. Default: they have all trials. */
  readonly endsEarly?: boolean;
  /**
   * What is known of CPU time: nothing; its verdicts alone; or also that a case may end on it. Default: nothing.
   */
  readonly cpuTime?: "unknown" | "judged" | "ends";
}

/** Simulates a run. @returns the verdicts on the first target of each case that has an interval. */
function verdictsOfRun(
  cases: readonly KnownCase[],
  maxTrials: number,
  random: Random,
  { truth = 1, endsEarly = false, cpuTime = "unknown" }: SimulationOptions = {},
): readonly SimulatedVerdict[] {
  const redrawn = cases.map((scenario) => {
    const drawn = { ...scenario, trials: maxTrials };
    return cpuTime === "unknown"
      ? simulatedCase(drawn, truth, random)
      : simulatedWithCpuTime(drawn, truth, random, cpuTime === "ends");
  });
  const results = endsEarly
    ? untilDecided(redrawn, maxTrials)
    : redrawn.map((each) => each.analyse(maxTrials));
  const prior = priorOfCases(results.map(({ time }) => time));
  const priorOfCpu = priorOfCases(results.flatMap(({ judgedCpu }) => judgedCpu ?? []));
  const verdicts: SimulatedVerdict[] = [];
  for (const { trials, time, judgedCpu } of results) {
    const [comparison] = analyseFit(time, prior).comparisons;
    const { ratio = null, equivalence = null, verdict = "unclear" } = comparison ?? {};
    if (ratio !== null && equivalence !== null) {
      const ofCpu = judgedCpu === null ? null : firstVerdict(judgedCpu, priorOfCpu);
      verdicts.push({ truth, ratio, equivalence, verdict, ofCpu, trials });
    }
  }
  return verdicts;
}

function firstVerdict(fit: CaseFit, prior: Prior): Verdict | null {
  return analyseFit(fit, prior).comparisons[0]?.verdict ?? null;
}

/** A simulated case, as it ended. */
interface SimulatedResult {
  /** Number of its trials. */
  readonly trials: number;
  /** The fit of its times. */
  readonly time: CaseFit;
  /** The fit of its CPU time where cases may end on it. */
  readonly cpuTime?: CaseFit;
  /** The fit of its CPU time, however cases end; null where that was not simulated. */
  readonly judgedCpu: CaseFit | null;
}

/** Part of the variance between instances that their CPU time has, too: half of the standard deviation of time. */
const CPU_TIME_VARIANCE = 0.25;

/**
 * Simulates a case whose time is its CPU time and what waits add to it, so that both err together: CPU time scatters
 * half as much.
 *
 * @param endsOnCpu whether the case may end on its CPU time.
 */
function simulatedWithCpuTime(
  scenario: KnownCase,
  truth: number,
  random: Random,
  endsOnCpu: boolean,
): RedrawnCase<SimulatedResult> {
  const { name, scatter, instanceSd } = scenario;
  const partOf = (variance: number): Scenario => ({
    ...scenario,
    instanceSd: instanceSd * Math.sqrt(variance),
    ...(scenario.target && {
      target: { instanceSd: (scenario.target.instanceSd ?? instanceSd) * Math.sqrt(variance) },
    }),
  });
  const waits = simulateSamples(partOf(1 - CPU_TIME_VARIANCE), 1, random, name);
  const samples = simulateSamples(partOf(CPU_TIME_VARIANCE), truth, random, name).map((sample, index) => {
    const cpuMs = sample.lastByteMs as number;
    return { ...sample, cpuMs, lastByteMs: cpuMs * (waits[index]?.lastByteMs as number) };
  });
  return {
    analyse(trials, isMeasured = () => true) {
      const drawn = samples.filter(({ trial, target }) => trial < trials && isMeasured(trial, target));
      const judgedCpu = fitCase(drawn, { ...QUESTION, caseId: name, metric: "cpuMs" });
      return {
        trials,
        time: fitCase(drawn, { ...QUESTION, caseId: name, scatter }),
        ...(endsOnCpu && { cpuTime: judgedCpu }),
        judgedCpu,
      };
    },
  };
}

/** Simulates a case without CPU time. */
function simulatedCase(scenario: KnownCase, truth: number, random: Random): RedrawnCase<SimulatedResult> {
  const { name, scatter } = scenario;
  const samples = simulateSamples(scenario, truth, random, name);
  return {
    analyse(trials, isMeasured = () => true) {
      const drawn = samples.filter(({ trial, target }) => trial < trials && isMeasured(trial, target));
      return { trials, time: fitCase(drawn, { ...QUESTION, caseId: name, scatter }), judgedCpu: null };
    },
  };
}

/**
 * Simulates runs of two copies, and counts how often they are right.
 *
 * @returns shares in percent, in the order of the table's columns: intervals that hold the truth, the median
 * half-width, copies that are called different, and those that are found slower had they taken 5 % and 10 %
 * longer.
 */
export function runShares(
  cases: readonly KnownCase[],
  trials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () => verdictsOfRun(cases, trials, random));
  const found = (factor: number) => verdicts.share((interval) => verdictIf(interval, factor) === "slower");
  return [
    verdicts.share(coversTruth),
    halfWidthWords(verdicts.all),
    verdicts.share((interval) => isDifference(verdictIf(interval))),
    ...[1.05, 1.1].map(found),
  ];
}

/**
 * Simulates runs of two copies, and counts how often they would be called the same.
 *
 * @returns shares in percent, in the order of `NEARLY_SAME`: had one of them taken so much longer.
 */
export function samenessShares(
  cases: readonly KnownCase[],
  trials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () => verdictsOfRun(cases, trials, random));
  return NEARLY_SAME.map((factor) => verdicts.share((interval) => verdictIf(interval, factor) === "same"));
}

/**
 * Simulates runs that are looked at after each turn; a verdict is that of the trials which its case has when
 * it ends.
 */
function stoppedShares(
  cases: readonly KnownCase[],
  maxTrials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () =>
    [1, 1.05, 1.1, 1.5].flatMap((truth) =>
      verdictsOfRun(cases, maxTrials, random, { truth, endsEarly: true }),
    ),
  );
  const withTruth = (truth: number) => many(verdicts.all.filter((comparison) => comparison.truth === truth));
  return [
    withTruth(1).share(({ verdict }) => isDifference(verdict)),
    verdicts.share(coversTruth),
    ...[1.05, 1.1].map((truth) => withTruth(truth).share(({ verdict }) => verdict === "slower")),
    mean(withTruth(1.5).all.map(({ trials }) => trials)).toFixed(1),
  ];
}

/**
 * Simulates runs whose cases end when their time is decided, or when their CPU time is and their time cannot be: and
 * the same runs by time alone.
 *
 * @returns shares in percent and means, in the order of the table's columns.
 */
export function cpuTimeShares(
  cases: readonly KnownCase[],
  maxTrials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const drawn = (truth: number, cpuTime: "judged" | "ends") => {
    const random = seededRandom(seed + Math.round(100 * truth));
    return manyOf(runs, () => verdictsOfRun(cases, maxTrials, random, { truth, endsEarly: true, cpuTime }));
  };
  const same = drawn(1, "ends");
  const longer = drawn(1.05, "ends");
  const byTime = drawn(1.05, "judged");
  const trialsOf = ({ all }: typeof longer) => mean(all.map(({ trials }) => trials)).toFixed(1);
  return [
    same.share(({ verdict }) => isDifference(verdict)),
    same.share(({ ofCpu }) => isDifference(ofCpu)),
    longer.share(({ verdict }) => verdict === "slower"),
    longer.share(({ verdict, ofCpu }) => verdict === "slower" || ofCpu === "slower"),
    trialsOf(longer),
    byTime.share(({ verdict }) => verdict === "slower"),
    trialsOf(byTime),
  ];
}

/** An interval of simulated CPU time beside the ratio that is paid. */
interface PaidInterval extends Checked {
  readonly ratio: RatioInterval;
}

/** Intervals of the same simulated CPU times, made in two ways. */
export interface PaidIntervals {
  /** Intervals by the mean of an instance's requests, as CPU time is compared. */
  readonly byMean: Many<PaidInterval>;
  /** Intervals by the middle of an instance's requests, as times are compared. */
  readonly byMiddle: Many<PaidInterval>;
}

/** Simulates single cases some of whose requests cost more CPU time. */
export function paidIntervals(
  changes: Partial<Scenario>,
  trials: number,
  runs: number,
  seed: number,
): PaidIntervals {
  const by = (metric: Metric): Many<PaidInterval> => {
    // The same seed: both see the same samples.
    const random = seededRandom(seed);
    return manyOf(runs, () =>
      paidIntervalsOfCase({ ...CPU_TIME_SCENARIO, ...changes, trials }, metric, random),
    );
  };
  return { byMean: by("cpuMs"), byMiddle: by("lastByteMs") };
}

function paidIntervalsOfCase(scenario: Scenario, metric: Metric, random: Random): readonly PaidInterval[] {
  const simulated = simulateSamples(scenario, 1, random);
  const samples = simulated.map((sample) => ({ ...sample, cpuMs: sample.lastByteMs }));
  const { comparisons } = analyseFit(fitCase(samples, { ...QUESTION, caseId: "case", metric }));
  const ratio = comparisons[0]?.ratio ?? null;
  return ratio === null ? [] : [{ ratio, truth: paidRatio(scenario) }];
}

/** The ratio of the mean costs of one target's requests and of the others'. */
function paidRatio(scenario: Scenario): number {
  return meanCost({ ...scenario, ...scenario.target }) / meanCost(scenario);
}

/** The mean cost of a request, where 1 is that of a usual one. Simulated outliers take three times as long. */
function meanCost({ exchangeKinds, outliers }: Scenario): number {
  const ofKinds = exchangeKinds === undefined ? 1 : 1 + exchangeKinds.share * (exchangeKinds.factor - 1);
  return ofKinds * (1 + 2 * outliers);
}

/** Shares of single cases, in percent. */
export interface CaseShares {
  /** Intervals that hold the truth, where the target takes 10 % longer. */
  readonly covered: string;
  /** Verdicts that call the target different, where it takes the same. */
  readonly different: string;
}

/** Simulates single cases whose target takes 10 % longer, and as many whose target takes the same. */
export function caseShares(scenario: Scenario, runs: number, seed: number): CaseShares {
  const random = seededRandom(seed);
  const verdicts = (truth: number) =>
    manyOf(runs, () => verdictsOfRun([scenario], scenario.trials, random, { truth }));
  return {
    covered: verdicts(1.1).share(coversTruth),
    different: verdicts(1).share(({ verdict }) => isDifference(verdict)),
  };
}

/** Simulates the instances of one target. */
export function simulateRounds(scenario: Scenario, random: Random): readonly MsByRound[] {
  const instances = instancesOf(simulateSamples(scenario, 1, random), "case", "lastByteMs");
  return instances.filter(({ target }) => target === "other").map(({ rounds }) => rounds);
}

/** Gives the share of simulated instances that are called not warm, in percent. */
function calledNotWarm(scenario: Scenario, runs: number, seed: number): string {
  const random = seededRandom(seed);
  return manyOf(runs, () => simulateRounds(scenario, random)).share(
    (rounds) => warmthOfTrial(new Map([["alone", rounds]])).get("alone") != null,
  );
}

/** Shares of simulated runs from several vantages, in percent. */
export interface VantageShares {
  /** Intervals over vantages that hold the truth. */
  readonly covered: string;
  /** Intervals over trials, as if these were independent, that hold the truth. */
  readonly coveredByTrials: string;
  /** Gives the share of runs with a verdict, or whose vantages "disagree". */
  called(word: Verdict | "disagree"): string;
  /** Intervals over trials that do not include 0. */
  readonly differentByTrials: string;
}

/** Number of trials at each vantage. */
const VANTAGE_TRIALS = 5;
/** Standard deviation between these trials, in milliseconds. */
const VANTAGE_TRIAL_SD_MS = 0.5;

/** Time of the baseline from every vantage, in milliseconds. */
const VANTAGE_BASELINE_MS = 50;

/** Simulates runs from several vantages. */
export function vantageShares(
  scenario: VantageScenario,
  vantages: number,
  runs: number,
  seed: number,
): VantageShares {
  const random = seededRandom(seed);
  const truth = scenario.effectMs + (scenario.addsMs ?? 0) / vantages;
  const found = manyOf(runs, () => {
    const samples = samplesFromVantages(scenario, vantages, random);
    const { cells, comparisons } = analyseVantages(samples, { ...QUESTION, caseId: "case" });
    const byTrials = fitTwoWay(cells.map((cell) => ({ ...cell, value: cell.ms })));
    const difference = byTrials.difference(["other"], ["node"]);
    const overTrials = difference && intervalOf(difference, byTrials);
    return comparisons.slice(0, 1).map(({ time }) => ({ time, overTrials }));
  });
  return {
    covered: found.share(({ time }) => coversTruth({ ratio: time.difference.mean, truth })),
    coveredByTrials: found.share(({ overTrials }) => coversTruth({ ratio: overTrials, truth })),
    called: (word) =>
      found.share(({ time }) => (time.difference.disagree ? "disagree" : time.verdict) === word),
    differentByTrials: found.share(({ overTrials }) => !coversTruth({ ratio: overTrials, truth: 0 })),
  };
}

/** Simulates samples from several vantages: each has a route of its own, and each trial three equal rounds. */
function samplesFromVantages(
  { effectMs, betweenMs, scatter = 1, addsMs = 0 }: VantageScenario,
  vantages: number,
  random: Random,
): readonly Sample[] {
  const samples: Sample[] = [];
  for (let vantage = 0; vantage < vantages; vantage++) {
    const isFirst = vantage === 0;
    const routeMs = betweenMs * drawNormal(random) + (isFirst ? addsMs : 0) + effectMs;
    const trialSdMs = VANTAGE_TRIAL_SD_MS * (isFirst ? scatter : 1);
    const from = { vantage: String(vantage), client: "1", edge: null, httpVersion: "HTTP/1.1" };
    for (let index = 0; index < VANTAGE_TRIALS; index++) {
      const trial = vantage * VANTAGE_TRIALS + index;
      for (const target of QUESTION.targets) {
        const ownMs = target === "other" ? routeMs : 0;
        const lastByteMs = VANTAGE_BASELINE_MS + trialSdMs * drawNormal(random) + ownMs;
        for (const roundIndex of [0, 1, 2]) {
          samples.push(testSample({ target, trial, roundIndex, lastByteMs, from }));
        }
      }
    }
  }
  return samples;
}
