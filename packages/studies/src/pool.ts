import { fitMetrics } from "@evenbench/report";
import { markdownTable } from "@evenbench/report/parts";
import { ResultsError, type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  type Comparison,
  divided,
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
import { inWords } from "./print.ts";

export interface PoolOptions {
  readonly draws: number;
  readonly sizes: readonly number[];
  /** Runs in which a case ends when it is decided have from three to so many trials of it. */
  readonly most: number;
  readonly seed: number;
}

/** Apart from every trial of the run before: runs are joined by their trials. */
const NEXT_RUN = 1000;
const METRICS = { time: "time", cpu: "CPU time" } as const;
type MetricName = keyof typeof METRICS;
const METRIC_NAMES = Object.keys(METRICS) as MetricName[];
type Fits = Readonly<Record<MetricName, CaseFit | undefined>>;

interface PooledCase {
  readonly id: string;
  readonly trials: readonly number[];
  /** What a run of these trials alone would say. */
  fitsOf(trials: readonly number[]): Fits;
}

/** What one drawn run says of one comparison. */
interface Said {
  readonly metric: MetricName;
  readonly plan: string;
  readonly name: string;
  readonly comparison: Comparison;
  readonly isControl: boolean;
  /** The same ratio by the trials that were not drawn, and by all. */
  readonly rest: number | null;
  readonly pool: number | null;
}

/** Short runs are drawn from long ones, and judged as a run is. The trials that were not drawn say what is true. */
export async function studyPool(
  folders: readonly string[],
  { draws, sizes, most, seed }: PoolOptions,
): Promise<string> {
  const cases = await readPool(folders);
  const wholes = cases.map(({ fitsOf, trials }) => fitsOf(trials));
  type FitAt = (index: number, count: number) => Fits;
  const plans = [
    ...sizes.map((size) => ({ name: `${size} trials`, countsOf: (_: FitAt) => cases.map(() => size) })),
    {
      name: `${LEAST} to ${most} trials, until decided`,
      countsOf: (fitAt: FitAt) =>
        untilDecided(cases.length, most, (index, count) => fitAt(index, count).time),
    },
  ].slice(0, most < LEAST ? -1 : undefined);
  const random = seededRandom(seed);
  const said = Array.from({ length: draws }, () => {
    const orders = drawOrders(cases, random);
    const fitAt = remembered((index: number, count: number) =>
      (cases[index] as PooledCase).fitsOf((orders[index] as number[]).slice(0, count)),
    );
    return plans.flatMap(({ name: plan, countsOf }) => {
      const counts = countsOf(fitAt);
      return METRIC_NAMES.flatMap((metric) => {
        const fits = counts.map((count, index) => fitAt(index, count)[metric]);
        const prior = priorOfCases(fits.filter((fit) => fit !== undefined));
        return fits.flatMap((fit, index): readonly Said[] => {
          const whole = wholes[index]?.[metric];
          if (fit === undefined || whole === undefined) return [];
          const drawn = new Set(orders[index]?.slice(0, counts[index]));
          return comparisonsOf(fit, prior).map((one) => ({
            ...{ metric, plan, ...one, ...truthOf(one.comparison, one.isControl, whole, drawn) },
          }));
        });
      });
    });
  }).flat();
  const least = Math.min(...cases.map(({ trials }) => trials.length));
  const first = said.filter(({ plan }) => plan === plans[0]?.name);
  return [
    `${cases.length} cases, ${least} trials of each or more, ${draws} drawn runs of each kind, seed ${seed}.`,
    ...["", ...markdownTable(tableOf(said, draws))],
    ...["", ...markdownTable(byComparison(first, wholes))],
  ].join("\n");
}

/** All cases share the order of their trials. */
function drawOrders(cases: readonly PooledCase[], random: () => number): readonly (readonly number[])[] {
  const keys = new Map<number, number>();
  for (const trial of cases.flatMap(({ trials }) => trials)) keys.set(trial, keys.get(trial) ?? random());
  return cases.map(({ trials }) =>
    trials.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number)),
  );
}

function comparisonsOf(fit: CaseFit, prior: ReturnType<typeof priorOfCases>) {
  const { comparisons, control } = analyseFit(fit, prior);
  return [...comparisons, ...(control === null ? [] : [control])].map((comparison) => ({
    name: `${comparison.caseId}, ${comparison.target}`,
    comparison,
    isControl: comparison === control,
  }));
}

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
  const samples = all.flatMap((one, index) => moved(one.samples, index));
  const manifests = new Map(
    all.flatMap((one) => one.run.plan.cases.map((manifest) => [manifest.id, manifest])),
  );
  return [...manifests.values()].map((manifest): PooledCase => {
    const byTrial = Map.groupBy(
      samples.filter(({ caseId, phase }) => caseId === manifest.id && phase === "measure"),
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

function truthOf(
  { target, baseline }: Comparison,
  isControl: boolean,
  { cells, cold, question }: CaseFit,
  drawn: ReadonlySet<number>,
) {
  const bases = isControl || question.copy === null ? [baseline] : [baseline, question.copy];
  const warm = cells.filter((cell) => cell.cold === null && !cold.has(cell.target));
  const ratioBy = (own: typeof warm) => {
    const difference = fitTwoWay(own).difference([target], bases);
    return difference === null ? null : Math.exp(difference.estimate);
  };
  return { rest: ratioBy(warm.filter(({ block }) => !drawn.has(block))), pool: ratioBy(warm) };
}

const HEAD = [
  ...["runs", "intervals", "contain the ratio of the trials not drawn", "contain the ratio of all trials"],
  ...["median half-width", "answered in a run", "copies called different"],
  ...["copies made 5 % slower: found", "made 10 % slower: found"],
];

function tableOf(said: readonly Said[], draws: number) {
  const rows = METRIC_NAMES.flatMap((metric) =>
    groups(
      said.filter((one) => one.metric === metric),
      "plan",
    ).map(([plan, own]) => {
      const targets = own.filter(({ isControl }) => !isControl);
      const copies = many(warmOf(own.filter(({ isControl }) => isControl)));
      const answered = targets.filter(
        ({ comparison: { verdict } }) => verdict === "same" || isDifference(verdict),
      );
      return [
        `${METRICS[metric]}, ${plan}`,
        ...wordsOfIntervals(targets),
        `${(answered.length / draws).toFixed(1)} of ${targets.length / draws}`,
        copies.share(({ ratio }) => isDifference(judge(ratio).verdict)),
        ...[1.05, 1.1].map((factor) =>
          copies.share(({ ratio }) => judge(scaled(ratio, factor)).verdict === "slower"),
        ),
      ];
    }),
  );
  return { head: HEAD, rows, numeric: numericOf(HEAD) };
}

function groups<Key extends "plan" | "name">(said: readonly Said[], key: Key) {
  return [...Map.groupBy(said, (one) => one[key])];
}

function numericOf(head: readonly string[]): readonly number[] {
  return head.map((_, column) => column).slice(1);
}

function warmOf(said: readonly Said[]) {
  return said.flatMap(({ comparison: { ratio, verdict }, rest, pool }) =>
    ratio === null || verdict === "not warm" ? [] : [{ ratio, rest, pool }],
  );
}

function wordsOfIntervals(said: readonly Said[]): readonly string[] {
  const warm = warmOf(said);
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

function byComparison(said: readonly Said[], wholes: readonly Fits[]) {
  const rows = METRIC_NAMES.flatMap((metric) => {
    const ratios = ratiosOf(wholes, metric);
    const own = said.filter((one) => one.metric === metric);
    return groups(own, "name").map(([name, all]) => [
      `${name}, ${METRICS[metric]}, ${all[0]?.plan}`,
      inWords(ratios.get(name) ?? null),
      ...wordsOfIntervals(all).slice(1),
      ...VERDICTS.map((verdict) => many(all).share(({ comparison }) => comparison.verdict === verdict)),
    ]);
  });
  const head = ["comparison", "all trials", ...HEAD.slice(2, 5), ...VERDICTS];
  return { head, rows: rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)), numeric: numericOf(head) };
}

function ratiosOf(wholes: readonly Fits[], metric: MetricName): ReadonlyMap<string, RatioInterval | null> {
  const fits = wholes.flatMap(({ [metric]: fit }) => (fit === undefined ? [] : [fit]));
  const prior = priorOfCases(fits);
  return new Map(
    fits
      .flatMap((fit) => comparisonsOf(fit, prior))
      .map(({ name, comparison: { ratio, verdict } }) => [name, verdict === "not warm" ? null : ratio]),
  );
}

/** Whether another way to measure leaves the ratios where they are. */
export async function comparePools(before: readonly string[], after: readonly string[]): Promise<string> {
  const [first = [], second = []] = await Promise.all(
    [before, after].map(async (folders) =>
      (await readPool(folders)).map(({ fitsOf, trials }) => fitsOf(trials)),
    ),
  );
  const rows = METRIC_NAMES.flatMap((metric) => {
    const others = ratiosOf(second, metric);
    return [...ratiosOf(first, metric)].flatMap(([name, ratio]) => {
      const other = others.get(name) ?? null;
      if (ratio === null || other === null) return [];
      return [
        [`${name}, ${METRICS[metric]}`, inWords(ratio), inWords(other), inWords(divided(other, ratio))],
      ];
    });
  });
  const head = ["comparison", "one", "other", "other / one"];
  return markdownTable({ head, rows, numeric: numericOf(head) }).join("\n");
}
