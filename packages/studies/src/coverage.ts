import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import {
  analyseFit,
  analyseVantages,
  fitCase,
  fitTwoWay,
  instancesOf,
  intervalOf,
  isDifference,
  mean,
  priorOfCases,
  seededRandom,
  verdictOf,
  warmthOfTrial,
} from "@evenbench/stats";
import type { Random } from "@evenbench/stats/random";
import { drawNormal, type Scenario, simulateSamples, testSample } from "@evenbench/stats/testing";
import {
  halfWidthOf,
  holds,
  type IsMeasured,
  many,
  manyOf,
  percentOf,
  scaled,
  tableOf,
  untilDecided,
} from "./drawn.ts";

const QUESTION = {
  metric: "lastByteMs",
  baseline: "node",
  copy: "node~copy",
  targets: ["node", "node~copy", "other", "another"],
} as const;
const USUAL: Scenario = {
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

const SEVEN = [0.012, 0.015, 0.02, 0.03, 0.05, 0.08, 0.11];

/** With what is known of its instances before. */
type KnownCase = Scenario & { readonly scatter?: number };

/** Runs by their cases. Instances alone scatter: three rounds say all of them. */
export const RUNS: Readonly<Record<string, readonly KnownCase[]>> = {
  "seven cases whose instances scatter by 1.2 to 11 %": casesOf(SEVEN),
  "the same, known to within 1.5 times": casesOf(SEVEN, ({ instanceSd }, index) => ({
    scatter: instanceSd * (index % 2 === 0 ? 1.5 : 1 / 1.5),
  })),
  "the same, taken the wrong way round": casesOf(SEVEN, (_, index) => ({
    scatter: SEVEN.at(-1 - index) as number,
  })),
  "one target scatters 1.6 times as much": casesOf(SEVEN, ({ instanceSd }) => ({
    target: { instanceSd: 1.6 * instanceSd },
  })),
  "two cases have instances of two kinds, 40 % apart": casesOf(SEVEN, (_, index) =>
    index < 2 ? { instanceKinds: { share: 0.5, factor: 1.4 } } : {},
  ),
  "heavy tails (Student's t, 5 degrees)": casesOf(SEVEN, () => ({ instanceTails: 5 })),
  "two cases, 2 and 5 %": casesOf([0.02, 0.05]),
  "one case alone, 2 %": casesOf([0.02]),
};

/** Single cases in which requests or instances come in kinds. */
const KINDS: Readonly<Record<string, Partial<Scenario>>> = {
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

/** What vantages are in a simulation. Milliseconds. */
interface VantageScenario {
  /** How much longer the target takes, in the mean of all routes that there could be. */
  readonly effectMs: number;
  /** Standard deviation of that between routes. */
  readonly betweenMs: number;
  /** Of the first vantage: how many times as much its trials scatter, and what its route adds to the target alone. */
  readonly scatter?: number;
  readonly addsMs?: number;
}

const ROUTES: Readonly<Record<string, VantageScenario>> = {
  "routes do not differ": { effectMs: 5, betweenMs: 0 },
  "routes differ by 1 ms": { effectMs: 5, betweenMs: 1 },
  "routes differ by 5 ms": { effectMs: 5, betweenMs: 5 },
  "one vantage's trials scatter 10 times as much": { effectMs: 5, betweenMs: 0, scatter: 10 },
  "one vantage is 10 ms slower to the target alone": { effectMs: 5, betweenMs: 0, addsMs: 10 },
};

/** @param file takes the tables, in the place of those of the same heading. */
export async function coverage(runs: number, file?: string): Promise<void> {
  let page = file !== undefined && existsSync(file) ? await readFile(file, "utf8") : "";
  const table = (title: string, count: string, head: readonly string[], rows: Rows): void => {
    const lines = [`### ${title} (${count})`, "", ...tableOf(head, rows)].join("\n");
    console.log(`${lines}\n`);
    const start = page.indexOf(`### ${title} (`);
    const end = page.indexOf("\n\n", page.indexOf("\n|", start));
    if (start !== -1) {
      page = page.slice(0, start) + lines + (end === -1 ? "\n" : page.slice(end));
    }
  };
  const quarter = Math.ceil(runs / 4);
  const cells = Math.ceil(runs / 13);
  for (const trials of [3, 10]) {
    table(
      `${trials} trials: what is said of runs`,
      `${runs} runs a row`,
      ["runs", "covered", "half-width", "copies called different", "5 % found", "10 % found"],
      rowsOf(RUNS, (cases, row) => runShares(cases, trials, runs, 100 * trials + row)),
    );
  }
  const longer = "trials where one target takes 50 % longer";
  table(
    "Cases that end once decided, 3 to 8 trials",
    `${quarter} runs a row`,
    ["runs", "copies called different", "covered", "5 % found", "10 % found", longer],
    rowsOf(RUNS, (cases, row) => stoppedShares(cases, 8, quarter, 900 + row)),
  );
  const sizes = [5, 10];
  const perSize = (what: string) => sizes.map((trials) => `${what}, ${trials} trials`);
  table(
    "Instances and requests in two kinds, of all targets alike",
    `${cells} runs a cell`,
    ["20 rounds a trial, unless said", ...perSize("coverage"), ...perSize("false verdicts")],
    rowsOf(KINDS, (kinds, row) => {
      const shares = sizes.map((trials) =>
        caseShares({ ...USUAL, ...kinds, trials }, cells, 3000 + 100 * row + trials),
      );
      return [...shares.map(({ covered }) => covered), ...shares.map(({ different }) => different)];
    }),
  );
  const lengths = [20, 50, 100];
  table(
    "Instances whose times fall while they are measured: called not warm",
    `${cells} runs a cell`,
    ["fall from the first round to the last", ...lengths.map((rounds) => `${rounds} rounds`)],
    [0, 0.05, 0.1, 0.15, 0.2, 0.3].map((fall, row) => {
      const share = (roundsPerTrial: number) =>
        calledNotWarm({ ...USUAL, fall, roundsPerTrial }, cells, 9000 + 100 * row + roundsPerTrial);
      return [percentOf(fall), ...lengths.map(share)];
    }),
  );
  const counts = [2, 3, 5, 8];
  table(
    "Vantages: coverage of the pooled 99 % interval",
    `${Math.ceil(runs / 2)} runs a cell`,
    ["5 ms slower, 5 trials each", ...counts.map((count) => `${count} vantages`), "3 vantages, by trials"],
    rowsOf(ROUTES, (route, row) => {
      const shares = counts.map((count) =>
        vantageShares(route, count, Math.ceil(runs / 2), 100 * row + count),
      );
      return [...shares.map(({ covered }) => covered), shares[1]?.coveredByTrials ?? "-"];
    }),
  );
  if (file !== undefined) {
    await writeFile(file, page);
  }
}

type Rows = readonly (readonly string[])[];

/** Each by its name. */
function rowsOf<T>(
  given: Readonly<Record<string, T>>,
  shares: (item: T, row: number) => readonly string[],
): Rows {
  return Object.entries(given).map(([name, item], row) => [name, ...shares(item, row)]);
}

function casesOf(
  instanceSds: readonly number[],
  more: (scenario: Scenario, index: number) => Partial<KnownCase> = () => ({}),
): readonly KnownCase[] {
  return instanceSds.map((instanceSd, index) => {
    const apart = { name: `case ${index}`, instanceSd, trialSd: 0.1, exchangeSd: 0, roundsPerTrial: 3 };
    const scenario = { ...USUAL, ...apart };
    return { ...scenario, ...more(scenario, index) };
  });
}

/** What a whole run says of its first target. @param endsEarly by the trials after which its cases end. */
function verdictsOfRun(
  cases: readonly KnownCase[],
  most: number,
  random: Random,
  { truth = 1, endsEarly = false } = {},
) {
  const fitted = cases.map((scenario) => {
    const samples = simulateSamples({ ...scenario, trials: most }, truth, random, scenario.name);
    return (trials: number, isMeasured: IsMeasured = () => true) => {
      const drawn = samples.filter(({ trial, target }) => trial < trials && isMeasured(trial, target));
      return {
        trials,
        time: fitCase(drawn, { ...QUESTION, caseId: scenario.name, scatter: scenario.scatter }),
      };
    };
  });
  const all = endsEarly ? untilDecided(fitted, most) : fitted.map((caseAt) => caseAt(most));
  const prior = priorOfCases(all.map(({ time }) => time));
  return all.flatMap(({ trials, time }) => {
    const [{ ratio, verdict } = {}] = analyseFit(time, prior).comparisons;
    return ratio == null ? [] : [{ truth, ratio, verdict, trials }];
  });
}

export function runShares(
  cases: readonly KnownCase[],
  trials: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () => verdictsOfRun(cases, trials, random));
  const found = (factor: number) =>
    verdicts.share(({ ratio }) => verdictOf(scaled(ratio, factor)).verdict === "slower");
  return [
    verdicts.share(holds),
    halfWidthOf(verdicts.all),
    verdicts.share(({ ratio }) => isDifference(verdictOf(ratio).verdict)),
    ...[1.05, 1.1].map(found),
  ];
}

/** Runs with a look after each turn; a verdict is that of the trials which its case has then. */
function stoppedShares(
  cases: readonly KnownCase[],
  most: number,
  runs: number,
  seed: number,
): readonly string[] {
  const random = seededRandom(seed);
  const verdicts = manyOf(runs, () =>
    [1, 1.05, 1.1, 1.5].flatMap((truth) => verdictsOfRun(cases, most, random, { truth, endsEarly: true })),
  );
  const withTruth = (truth: number) => many(verdicts.all.filter((comparison) => comparison.truth === truth));
  return [
    withTruth(1).share(({ ratio }) => isDifference(verdictOf(ratio).verdict)),
    verdicts.share(holds),
    ...[1.05, 1.1].map((truth) => withTruth(truth).share(({ verdict }) => verdict === "slower")),
    mean(withTruth(1.5).all.map(({ trials }) => trials)).toFixed(1),
  ];
}

/** A single case whose target takes 10 % longer, and one whose target takes the same. */
export function caseShares(scenario: Scenario, runs: number, seed: number) {
  const random = seededRandom(seed);
  const verdicts = (truth: number) =>
    manyOf(runs, () => verdictsOfRun([scenario], scenario.trials, random, { truth }));
  return {
    covered: verdicts(1.1).share(holds),
    different: verdicts(1).share(({ ratio }) => isDifference(verdictOf(ratio).verdict)),
  };
}

/** Of the instances of one target. */
export function simulateRounds(scenario: Scenario, random: Random) {
  const instances = instancesOf(simulateSamples(scenario, 1, random), "case", "lastByteMs");
  return instances.flatMap(({ target, rounds }) => (target === "other" ? [rounds] : []));
}

function calledNotWarm(scenario: Scenario, runs: number, seed: number): string {
  const random = seededRandom(seed);
  return manyOf(runs, () => simulateRounds(scenario, random)).share(
    (rounds) => warmthOfTrial(new Map([["alone", rounds]])).get("alone")?.warm === false,
  );
}

/** Five trials at each vantage, that vary by half a millisecond. */
export function vantageShares(
  { effectMs, betweenMs, scatter = 1, addsMs = 0 }: VantageScenario,
  vantages: number,
  runs: number,
  seed: number,
) {
  const random = seededRandom(seed);
  const trials = 5;
  const trialMs = 0.5;
  const baselineMs = 50;
  const truth = effectMs + addsMs / vantages;
  const found = manyOf(runs, () => {
    const samples = Array.from({ length: vantages }, (_, vantage) => {
      const routeMs = betweenMs * drawNormal(random) + (vantage === 0 ? addsMs : 0) + effectMs;
      const sd = trialMs * (vantage === 0 ? scatter : 1);
      const from = { vantage: String(vantage), client: "1", edge: null, httpVersion: "HTTP/1.1" };
      return Array.from({ length: trials }, (_, index) =>
        QUESTION.targets.map((target) => {
          const lastByteMs = baselineMs + sd * drawNormal(random) + (target === "other" ? routeMs : 0);
          const sample = testSample({ target, trial: vantage * trials + index, lastByteMs, from });
          return [0, 1, 2].map((roundIndex) => ({ ...sample, roundIndex }));
        }),
      );
    }).flat(3);
    const { cells, comparisons } = analyseVantages(samples, { ...QUESTION, caseId: "case" });
    const byTrials = fitTwoWay(cells.map((cell) => ({ ...cell, value: cell.ms })));
    const difference = byTrials.difference(["other"], ["node"]);
    const overTrials = difference && intervalOf(difference, byTrials);
    return comparisons.slice(0, 1).map(({ time }) => ({ time, overTrials }));
  });
  return {
    covered: found.share(({ time }) => holds({ ratio: time.difference.mean, truth })),
    coveredByTrials: found.share(({ overTrials }) => holds({ ratio: overTrials, truth })),
    called: (word: string) =>
      found.share(({ time }) => (time.difference.disagree ? "disagree" : time.verdict) === word),
    differentByTrials: found.share(({ overTrials }) => !holds({ ratio: overTrials, truth: 0 })),
  };
}
