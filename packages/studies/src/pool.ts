import { selectCase } from "@evenbench/report";
import { type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseAnalysis,
  type CaseFit,
  type Comparison,
  fitCase,
  fitTwoWay,
  type InstanceCell,
  isDifference,
  priorOfCases,
  type Random,
  seededRandom,
  VERDICTS,
} from "@evenbench/stats";
import {
  type Checked,
  coversTruth,
  halfWidthWords,
  type IsMeasured,
  type JudgedRatio,
  many,
  manyOf,
  type RedrawnCase,
  TRIALS_BEFORE_FIRST_LOOK,
  tableOf,
  untilDecided,
  verdictIf,
} from "./resample.ts";

/** Options of drawing short runs from long ones. */
export interface PoolOptions {
  /** Number of runs that are drawn. */
  readonly draws: number;
  /** Numbers of trials of each case: each run is analysed with every one. */
  readonly sizes: readonly number[];
  /** Largest number of trials of a case that ends when it is decided; below three, no such runs are drawn. */
  readonly most: number;
  /** Seed of all random order. */
  readonly seed: number;
}

/** Number that is added to the trials of each further run, so that those of joined runs differ. */
const NEXT_RUN = 1000;

/** The metrics that are studied, as tables name them. */
const STUDIED_METRICS = ["time", "CPU time"] as const;
/** A metric that is studied. */
type StudiedMetric = (typeof STUDIED_METRICS)[number];
/** The fits of a case, by metric. */
type MetricFits = Readonly<Record<StudiedMetric, CaseFit>>;

/** A case of the joined runs. */
interface PooledCase {
  /** Numbers of the case's trials in all runs. */
  readonly trials: readonly number[];
  /** Analyses some of its trials, as a run that has no others would. */
  fitsOf(trials: readonly number[], isMeasured?: IsMeasured): MetricFits;
  /** The fits of all its trials. */
  readonly whole: MetricFits;
}

/** The fits of a case in a drawn run. */
interface DrawnCase extends MetricFits {
  /** The trials that were drawn. */
  readonly drawn: readonly number[];
  /** The fits of all trials of the pool. */
  readonly whole: MetricFits;
}

/** A plan of drawn runs. */
interface DrawnPlan {
  /** Name of the plan in tables: "3 trials". */
  readonly name: string;
  /** Number of trials of each case; null where a case ends when it is decided. */
  readonly size: number | null;
}

/** The verdict of one drawn run on one comparison. */
interface PooledVerdict {
  /** Metric and plan: "time, 3 trials". */
  readonly plan: string;
  /** Case and target: "math, cloudflare". */
  readonly name: string;
  readonly comparison: Comparison;
  /** True where the comparison is that of the copy against the baseline. */
  readonly isControl: boolean;
  /** The same ratio by the trials that were not drawn; null where they do not say. */
  readonly rest: number | null;
  /** The same ratio by all trials; null where they do not say. */
  readonly pool: number | null;
}

/**
 * Resamples short runs from long ones, and checks their intervals and verdicts against the trials that were not drawn.
 *
 * @param folders paths of the folders of runs with many trials.
 * @returns tables in Markdown: by plan, and by comparison with the first plan.
 * @throws where a run cannot be read as a whole.
 */
export async function studyPool(
  folders: readonly string[],
  { draws, sizes, most, seed }: PoolOptions,
): Promise<string> {
  const cases = await readPool(folders);
  const plans = plansFor(sizes, most);
  const random = seededRandom(seed);
  const verdicts = manyOf(draws, () => {
    const redrawn = drawCases(cases, random);
    return plans.flatMap((plan) => verdictsOfPlan(plan, redrawn, most));
  }).all;
  const smallestCase = Math.min(...cases.map(({ trials }) => trials.length));
  const first = verdicts.filter(({ plan }) => plan.endsWith(`, ${plans[0]?.name}`));
  const lines = [
    `${cases.length} cases, ${smallestCase} trials of each or more, ${draws} drawn runs of each kind, seed ${seed}.`,
    "",
    ...byPlan(verdicts, draws),
    "",
    ...byComparison(first),
  ];
  return lines.join("\n");
}

function plansFor(sizes: readonly number[], maxTrials: number): readonly DrawnPlan[] {
  const plans: DrawnPlan[] = sizes.map((size) => ({ name: `${size} trials`, size }));
  if (maxTrials >= TRIALS_BEFORE_FIRST_LOOK) {
    const name = `${TRIALS_BEFORE_FIRST_LOOK} to ${maxTrials} trials, until decided`;
    plans.push({ name, size: null });
  }
  return plans;
}

/** Draws a run: its cases share the order in which trials are drawn. */
function drawCases(cases: readonly PooledCase[], random: Random): readonly RedrawnCase<DrawnCase>[] {
  const all = new Set(cases.flatMap(({ trials }) => trials));
  const keys = new Map([...all].map((trial) => [trial, random()]));
  return cases.map(({ trials, fitsOf, whole }) => {
    const ordered = trials.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number));
    return {
      analyse(count, isMeasured = () => true) {
        const drawn = ordered.slice(0, count);
        return { ...fitsOf(drawn, isMeasured), drawn, whole };
      },
    };
  });
}

function verdictsOfPlan(
  { name, size }: DrawnPlan,
  redrawn: readonly RedrawnCase<DrawnCase>[],
  maxTrials: number,
): readonly PooledVerdict[] {
  const cases = size === null ? untilDecided(redrawn, maxTrials) : redrawn.map((each) => each.analyse(size));
  return STUDIED_METRICS.flatMap((metric) => {
    const prior = priorOfCases(cases.map((drawnCase) => drawnCase[metric]));
    return cases.flatMap((drawnCase) => {
      const analysis = analyseFit(drawnCase[metric], prior);
      return verdictsOfCase(`${metric}, ${name}`, analysis, drawnCase.whole[metric], drawnCase.drawn);
    });
  });
}

/** Lists the verdicts of a case. @param whole the fit of all trials of the pool. */
function verdictsOfCase(
  plan: string,
  { comparisons, control }: CaseAnalysis,
  whole: CaseFit,
  drawn: readonly number[],
): readonly PooledVerdict[] {
  const { baseline, copy } = whole.question;
  const warm = whole.cells.filter((cell) => cell.cold === null && !whole.cold.has(cell.target));
  const notDrawn = warm.filter(({ block }) => !drawn.includes(block));
  const all = control === null ? comparisons : [...comparisons, control];
  return all.map((comparison): PooledVerdict => {
    const isControl = comparison === control;
    const bases = isControl || copy === null ? [baseline] : [baseline, copy];
    return {
      plan,
      name: `${comparison.caseId}, ${comparison.target}`,
      comparison,
      isControl,
      rest: ratioBy(notDrawn, comparison.target, bases),
      pool: ratioBy(warm, comparison.target, bases),
    };
  });
}

/** Gives the ratio that some instances show; null where they show none. */
function ratioBy(cells: readonly InstanceCell[], target: string, bases: readonly string[]): number | null {
  const difference = fitTwoWay(cells).difference([target], bases);
  return difference === null ? null : Math.exp(difference.estimate);
}

/** Reads runs, and joins their trials by cases. @throws where a run's samples are damaged. */
async function readPool(folders: readonly string[]): Promise<readonly PooledCase[]> {
  const all = await Promise.all(folders.map(readRun));
  const damage = all.map((read) => read.damage).find((sentence) => sentence !== null);
  if (damage !== undefined) {
    throw new Error(damage);
  }
  const plans = all.map(({ run }) => run.plan);
  const pooled: Run = {
    ...(all[0]?.run as Run),
    warmUps: all.flatMap(({ run }, index) => moved(run.warmUps, index)),
  };
  const targets = new Map(plans.flatMap((plan) => plan.targets.map((target) => [target.name, target])));
  const samples = all.flatMap((read, index) => moved(read.samples, index));
  const manifests = new Map(plans.flatMap((plan) => plan.cases.map((manifest) => [manifest.id, manifest])));
  return [...manifests.values()].map((manifest): PooledCase => {
    const measured = samples.filter(({ caseId, phase }) => caseId === manifest.id && phase === "measure");
    const byTrial = Map.groupBy(measured, ({ trial }) => trial);
    const trials = [...byTrial.keys()];
    const fitsOf: PooledCase["fitsOf"] = (chosen, isMeasured = () => true) => {
      const drawn = chosen.flatMap((trial, index): readonly Sample[] =>
        (byTrial.get(trial) ?? []).filter(({ target }) => isMeasured(index, target)),
      );
      const { question } = selectCase(pooled, [...targets.values()], manifest, drawn);
      return {
        time: fitCase(drawn, question("lastByteMs")),
        "CPU time": fitCase(drawn, question("cpuMs")),
      };
    };
    return { trials, fitsOf, whole: fitsOf(trials) };
  });
}

/** Gives records of a run numbers of trials that no other run has. @param index the run's place. */
function moved<Entry extends { readonly trial: number }>(
  all: readonly Entry[],
  index: number,
): readonly Entry[] {
  return all.map((record) => ({ ...record, trial: record.trial + index * NEXT_RUN }));
}

/** The columns of the table by plan. */
const TABLE_HEAD = [
  "runs",
  "intervals",
  "contain the ratio of the trials not drawn",
  "contain the ratio of all trials",
  "median half-width",
  "answered in a run",
  "copies called different",
  "copies made 5 % slower: found",
  "made 10 % slower: found",
];

function byPlan(verdicts: readonly PooledVerdict[], draws: number): readonly string[] {
  const rows = [...Map.groupBy(verdicts, ({ plan }) => plan)].map(([plan, group]) => {
    const targets = group.filter(({ isControl }) => !isControl);
    const copies = many(warmOf(group.filter(({ isControl }) => isControl)));
    const answered = targets.filter(
      ({ comparison: { verdict } }) => verdict === "same" || isDifference(verdict),
    );
    const found = (factor: number) => copies.share((interval) => verdictIf(interval, factor) === "slower");
    return [
      plan,
      ...wordsOfIntervals(targets),
      `${(answered.length / draws).toFixed(1)} of ${targets.length / draws}`,
      copies.share((interval) => isDifference(verdictIf(interval))),
      found(1.05),
      found(1.1),
    ];
  });
  return tableOf(TABLE_HEAD, rows);
}

/** A drawn run's interval of warm targets, beside the ratios of other trials. */
interface WarmInterval extends JudgedRatio {
  readonly rest: number | null;
  readonly pool: number | null;
}

function warmOf(verdicts: readonly PooledVerdict[]): readonly WarmInterval[] {
  const warm: WarmInterval[] = [];
  for (const { comparison, rest, pool } of verdicts) {
    const { ratio, equivalence, verdict } = comparison;
    if (ratio !== null && equivalence !== null && verdict !== "not warm") {
      warm.push({ ratio, equivalence, rest, pool });
    }
  }
  return warm;
}

/**
 * Writes the columns of intervals: their number, how many hold the ratio of the rest and of the pool, and their
 * half-width.
 */
function wordsOfIntervals(verdicts: readonly PooledVerdict[]): readonly string[] {
  const warm = warmOf(verdicts);
  const held = (truth: "rest" | "pool"): string => {
    const checked: Checked[] = [];
    for (const interval of warm) {
      const value = interval[truth];
      if (value !== null) {
        checked.push({ ratio: interval.ratio, truth: value });
      }
    }
    return many(checked).share(coversTruth);
  };
  return [String(warm.length), held("rest"), held("pool"), halfWidthWords(warm)];
}

function byComparison(verdicts: readonly PooledVerdict[]): readonly string[] {
  const rows = [...Map.groupBy(verdicts, ({ name, plan }) => `${name}, ${plan}`)].map(([name, group]) => [
    name,
    group[0]?.pool?.toFixed(3) ?? "-",
    ...wordsOfIntervals(group).slice(1),
    ...VERDICTS.map((verdict) => many(group).share(({ comparison }) => comparison.verdict === verdict)),
  ]);
  const head = ["comparison", "all trials", ...TABLE_HEAD.slice(2, 5), ...VERDICTS];
  return tableOf(
    head,
    rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}
