import { fitMetrics } from "@evenbench/report";
import { markdownTable } from "@evenbench/report/parts";
import { ResultsError, type Run, readRun, type Sample, SampleTable } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  type Comparison,
  fitTwoWay,
  isDifference,
  judge,
  median,
  priorOfCases,
  type RatioInterval,
  seededRandom,
  VERDICTS,
} from "@evenbench/stats";
import { LEAST, many, percentOf, remembered, scaled, untilDecided } from "./drawn.ts";

export interface PoolOptions {
  /** Runs to draw. */
  readonly draws: number;
  /** Sizes of runs, in trials of each case. */
  readonly sizes: readonly number[];
  /** Runs in which a case ends when it is decided have from three to so many trials of it. */
  readonly most: number;
  readonly seed: number;
}

export const USUAL_POOL: PoolOptions = { draws: 400, sizes: [3, 5], most: 6, seed: 1 };

/** Apart from every trial of the run before: runs are joined by their trials. */
const NEXT_RUN = 1000;
const METRICS = { time: "time", cpu: "CPU time" } as const;
type MetricName = keyof typeof METRICS;
const METRIC_NAMES = Object.keys(METRICS) as MetricName[];

/** A case with all its fresh instances. */
interface PooledCase {
  readonly id: string;
  readonly trials: readonly number[];
  /** What a run of these trials alone would say. */
  fitsOf(trials: readonly number[]): Readonly<Record<MetricName, CaseFit | undefined>>;
}

/** What one drawn run says of one comparison. */
interface Said {
  readonly name: string;
  readonly comparison: Comparison;
  readonly isControl: boolean;
  /** The same ratio by the trials that were not drawn, and by all. */
  readonly rest: number | null;
  readonly pool: number | null;
}

/** Of all drawn runs of one kind, in one metric. */
interface Tally {
  readonly metric: MetricName;
  readonly plan: string;
  readonly said: Said[];
}

/**
 * What verdicts are worth, on real requests. Long runs are a pool of fresh instances: short runs are drawn from it, all
 * cases together, and judged by the functions of a run. The trials that were not drawn say what is true.
 *
 * @returns Markdown.
 */
export async function studyPool(
  folders: readonly string[],
  { draws, sizes, most, seed }: PoolOptions = USUAL_POOL,
): Promise<string> {
  const cases = await readPool(folders);
  const sizesInWords = sizes.map((size) => `${size} trials`);
  const wholes = cases.map((pooled) => pooled.fitsOf(pooled.trials));
  const tallies = new Map<string, Tally>();
  const random = seededRandom(seed);
  for (let draw = 0; draw < draws; draw++) {
    const keys = new Map<number, number>();
    for (const trial of cases.flatMap(({ trials }) => trials)) keys.set(trial, keys.get(trial) ?? random());
    const orders = cases.map(({ trials }) =>
      trials.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number)),
    );
    const fitAt = remembered((index: number, count: number) =>
      (cases[index] as PooledCase).fitsOf((orders[index] as number[]).slice(0, count)),
    );
    const plans = sizes.map((size, at): [string, readonly number[]] => [
      sizesInWords[at] as string,
      cases.map(() => size),
    ]);
    if (most >= LEAST) {
      plans.push([
        `${LEAST} to ${most} trials, until decided`,
        untilDecided(cases.length, most, (index, count) => fitAt(index, count).time),
      ]);
    }
    for (const [plan, counts] of plans) {
      for (const metric of METRIC_NAMES) {
        const fits = counts.map((count, index) => fitAt(index, count)[metric]);
        const prior = priorOfCases(fits.filter((fit) => fit !== undefined));
        const tally = tallies.get(metric + plan) ?? { metric, plan, said: [] };
        for (const [index, fit] of fits.entries()) {
          const whole = wholes[index]?.[metric];
          if (fit === undefined || whole === undefined) continue;
          const drawn = new Set(orders[index]?.slice(0, counts[index]));
          const { comparisons, control } = analyseFit(fit, prior);
          for (const comparison of [...comparisons, ...(control === null ? [] : [control])]) {
            tally.said.push(say(comparison, { whole, drawn, isControl: comparison === control }));
          }
          tallies.set(metric + plan, tally);
        }
      }
    }
  }
  const least = Math.min(...cases.map(({ trials }) => trials.length));
  return [
    `${cases.length} cases, ${least} trials of each or more, ${draws} drawn runs of each kind, seed ${seed}.`,
    ...["", ...markdownTable(tableOf([...tallies.values()], draws))],
    ...[
      "",
      ...markdownTable(
        byComparison(
          [...tallies.values()].filter(({ plan }) => plan === sizesInWords[0]),
          wholes,
        ),
      ),
    ],
  ].join("\n");
}

/** Reads runs and joins what they have of the same case. */
async function readPool(folders: readonly string[]): Promise<readonly PooledCase[]> {
  const all = await Promise.all(folders.map(readRun));
  const [first] = all;
  if (first === undefined) throw new ResultsError("Name the folder of a run with many trials.");
  const run: Run = {
    ...first.run,
    warmUps: all.flatMap((one, index) => moved(one.run.warmUps, index)),
  };
  const targets = new Map(
    all.flatMap((one) => one.run.plan.targets.map((target) => [target.name, { ...target, colour: 0 }])),
  );
  const samples = SampleTable.from(all.flatMap((one, index) => moved([...one.samples], index)));
  const manifests = new Map(
    all.flatMap((one) => one.run.plan.cases.map((manifest) => [manifest.id, manifest])),
  );
  return [...manifests.values()].map((manifest): PooledCase => {
    const byTrial = Map.groupBy(
      samples.ofCase(manifest.id).filter(({ phase }) => phase === "measure"),
      ({ trial }) => trial,
    );
    return {
      id: manifest.id,
      trials: [...byTrial.keys()],
      fitsOf(trials) {
        const drawn = trials.flatMap((trial): readonly Sample[] => byTrial.get(trial) ?? []);
        const { fits } = fitMetrics(run, [...targets.values()], manifest, drawn);
        const of = (metric: string) => fits.find(({ question }) => question.metric === metric);
        return { time: of(manifest.headline), cpu: of("cpuMs") };
      },
    };
  });
}

function moved<T extends { readonly trial: number }>(all: readonly T[], index: number): readonly T[] {
  return index === 0 ? all : all.map((one) => ({ ...one, trial: one.trial + index * NEXT_RUN }));
}

function say(
  comparison: Comparison,
  { whole, drawn, isControl }: { whole: CaseFit; drawn: ReadonlySet<number>; isControl: boolean },
): Said {
  const { caseId, target, baseline } = comparison;
  const { copy } = whole.question;
  const bases = isControl || copy === null ? [baseline] : [baseline, copy];
  const ratioBy = (counts: (trial: number) => boolean) => {
    const cells = whole.cells.filter(
      (cell) => cell.cold === null && !whole.cold.has(cell.target) && counts(cell.block),
    );
    const difference = fitTwoWay(cells).difference([target], bases);
    return difference === null ? null : Math.exp(difference.estimate);
  };
  return {
    ...{ name: `${caseId}, ${target}`, comparison, isControl },
    rest: ratioBy((trial) => !drawn.has(trial)),
    pool: ratioBy(() => true),
  };
}

const HEAD = [
  ...["runs", "intervals", "contain the ratio of the trials not drawn", "contain the ratio of all trials"],
  ...["median half-width", "answered in a run", "copies called different"],
  ...["copies made 5 % slower: found", "made 10 % slower: found"],
];

function tableOf(tallies: readonly Tally[], draws: number) {
  return {
    head: HEAD,
    rows: tallies
      .toSorted((a, b) => METRIC_NAMES.indexOf(a.metric) - METRIC_NAMES.indexOf(b.metric))
      .map(({ metric, plan, said }) => {
        const targets = said.filter(({ isControl }) => !isControl);
        const copies = many(
          said.flatMap(({ isControl, comparison: { ratio, verdict } }) =>
            isControl && verdict !== "not warm" && ratio !== null ? [ratio] : [],
          ),
        );
        const answered = targets.filter(({ comparison }) => isAnswered(comparison)).length;
        const slowed = (factor: number) =>
          copies.share((ratio) => judge(scaled(ratio, factor)).verdict === "slower");
        return [
          `${METRICS[metric]}, ${plan}`,
          ...wordsOfIntervals(targets),
          `${(answered / draws).toFixed(1)} of ${targets.length / draws}`,
          copies.share((ratio) => isDifference(judge(ratio).verdict)),
          ...[1.05, 1.1].map(slowed),
        ];
      }),
    numeric: [1, 2, 3, 4, 5, 6, 7, 8],
  };
}

/** How many there are, how often they contain what is true, how wide they are. */
function wordsOfIntervals(said: readonly Said[]): readonly string[] {
  const warm = said.flatMap(({ comparison: { ratio, verdict }, rest, pool }) =>
    ratio === null || verdict === "not warm" ? [] : [{ ratio, rest, pool }],
  );
  const held = (truth: "rest" | "pool") =>
    many(warm.filter((one) => one[truth] !== null)).share(
      (one) => one.ratio.low <= (one[truth] as number) && (one[truth] as number) <= one.ratio.high,
    );
  const widths = warm.map(({ ratio }) => Math.sqrt(ratio.high / ratio.low) - 1);
  return [
    String(warm.length),
    held("rest"),
    held("pool"),
    widths.length === 0 ? "-" : percentOf(median(widths)),
  ];
}

function byComparison(tallies: readonly Tally[], wholes: readonly ReturnType<PooledCase["fitsOf"]>[]) {
  const ratios = METRIC_NAMES.flatMap((metric) =>
    ratiosOf(wholes, metric).map((one) => ({ ...one, metric })),
  );
  const rows = tallies.flatMap(({ metric, plan, said }) =>
    [...Map.groupBy(said, ({ name }) => name)].map(([name, own]) => {
      const whole = ratios.find((one) => one.metric === metric && one.name === name)?.ratio ?? null;
      const verdicts = VERDICTS.map((verdict) =>
        many(own).share(({ comparison }) => comparison.verdict === verdict),
      );
      return [
        `${name}, ${METRICS[metric]}, ${plan}`,
        inWords(whole),
        ...wordsOfIntervals(own).slice(1),
        ...verdicts,
      ];
    }),
  );
  const head = ["comparison", "all trials", ...HEAD.slice(2, 5), ...VERDICTS];
  return {
    head,
    rows: rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
    numeric: head.map((_, column) => column).slice(1),
  };
}

/** What all trials of a pool say, copies among them. */
function ratiosOf(wholes: readonly ReturnType<PooledCase["fitsOf"]>[], metric: MetricName) {
  const fits = wholes.flatMap(({ [metric]: fit }) => (fit === undefined ? [] : [fit]));
  const prior = priorOfCases(fits);
  return fits.flatMap((fit) => {
    const { caseId } = fit.question;
    const { comparisons, control } = analyseFit(fit, prior);
    return [...comparisons, ...(control === null ? [] : [control])].map(({ target, ratio, verdict }) => ({
      name: `${caseId}, ${target}`,
      ratio: verdict === "not warm" ? null : ratio,
    }));
  });
}

/**
 * Whether another way to measure leaves the ratios where they are: each pool's, and the ratio of both.
 *
 * @returns Markdown.
 */
export async function comparePools(before: readonly string[], after: readonly string[]): Promise<string> {
  const [first, second] = await Promise.all(
    [before, after].map(async (folders) =>
      (await readPool(folders)).map((pooled) => pooled.fitsOf(pooled.trials)),
    ),
  );
  const rows = METRIC_NAMES.flatMap((metric) => {
    const others = new Map(ratiosOf(second ?? [], metric).map(({ name, ratio }) => [name, ratio]));
    return ratiosOf(first ?? [], metric).flatMap(({ name, ratio }) => {
      const other = others.get(name) ?? null;
      if (ratio === null || other === null) return [];
      return [
        [`${name}, ${METRICS[metric]}`, inWords(ratio), inWords(other), inWords(divided(other, ratio))],
      ];
    });
  });
  return markdownTable({
    head: ["comparison", "one", "other", "other / one"],
    rows,
    numeric: [1, 2, 3],
  }).join("\n");
}

/** Both are uncertain, and know nothing of each other: half-widths add as squares. */
function divided(ratio: RatioInterval, by: RatioInterval): RatioInterval {
  const estimate = ratio.estimate / by.estimate;
  const half = Math.hypot(Math.log(ratio.high / ratio.low) / 2, Math.log(by.high / by.low) / 2);
  return { estimate, low: estimate * Math.exp(-half), high: estimate * Math.exp(half), level: ratio.level };
}

function isAnswered({ verdict }: Comparison): boolean {
  return verdict === "same" || isDifference(verdict);
}

function inWords(ratio: RatioInterval | null): string {
  return ratio === null
    ? "-"
    : `${ratio.estimate.toFixed(3)} (${ratio.low.toFixed(3)}-${ratio.high.toFixed(3)})`;
}
