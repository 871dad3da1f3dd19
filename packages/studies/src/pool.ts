import { fitMetrics, settingOf } from "@evenbench/report";
import { ResultsError, type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  type Comparison,
  fitTwoWay,
  isDifference,
  judge,
  priorOfCases,
  seededRandom,
  VERDICTS,
} from "@evenbench/stats";
import { halfWidthOf, holds, LEAST, many, remembered, scaled, tableOf, untilDecided } from "./drawn.ts";

export interface PoolOptions {
  readonly draws: number;
  readonly sizes: readonly number[];
  /** Runs in which a case ends when it is decided have from three to so many trials of it. */
  readonly most: number;
  readonly seed: number;
}

/** Apart from every trial of the run before: runs are joined by their trials. */
const NEXT_RUN = 1000;
const METRICS = ["time", "CPU time"] as const;
type Fits = Readonly<Record<(typeof METRICS)[number], CaseFit | undefined>>;

interface PooledCase {
  readonly trials: readonly number[];
  /** What a run of these trials alone would say. */
  fitsOf(trials: readonly number[]): Fits;
}

/** What one drawn run says of one comparison. */
interface Said {
  /** "time, 3 trials" */
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
  const plans = [
    ...sizes.map((size) => ({ plan: `${size} trials`, size })),
    ...(most < LEAST ? [] : [{ plan: `${LEAST} to ${most} trials, until decided`, size: null }]),
  ];
  const random = seededRandom(seed);
  const said = Array.from({ length: draws }, () => {
    const orders = drawOrders(cases, random);
    const fitAt = remembered((index: number, count: number) =>
      (cases[index] as PooledCase).fitsOf((orders[index] as number[]).slice(0, count)),
    );
    return plans.flatMap(({ plan, size }) => {
      const timeAt = (index: number, count: number) => fitAt(index, count).time;
      const counts = size === null ? untilDecided(cases.length, most, timeAt) : cases.map(() => size);
      return METRICS.flatMap((metric) => {
        const fits = counts.map((count, index) => fitAt(index, count)[metric]);
        const prior = priorOfCases(fits.filter((fit) => fit !== undefined));
        return fits.flatMap((fit, index): readonly Said[] => {
          const whole = wholes[index]?.[metric];
          if (fit === undefined || whole === undefined) return [];
          const drawn = new Set(orders[index]?.slice(0, counts[index]));
          return comparisonsOf(fit, prior).map((one) => ({
            ...{
              plan: `${metric}, ${plan}`,
              ...one,
              ...truthOf(one.comparison, one.isControl, whole, drawn),
            },
          }));
        });
      });
    });
  }).flat();
  const least = Math.min(...cases.map(({ trials }) => trials.length));
  const first = said.filter(({ plan }) => plan.endsWith(`, ${plans[0]?.plan}`));
  return [
    `${cases.length} cases, ${least} trials of each or more, ${draws} drawn runs of each kind, seed ${seed}.`,
    ...["", ...byPlan(said, draws)],
    ...["", ...byComparison(first)],
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
  const plans = all.map((one) => one.run.plan);
  const targets = new Map(
    plans.flatMap((plan) => plan.targets.map((target) => [target.name, { ...target, colour: 0 }])),
  );
  const samples = all.flatMap((one, index) => moved(one.samples, index));
  const manifests = new Map(plans.flatMap((plan) => plan.cases.map((manifest) => [manifest.id, manifest])));
  return [...manifests.values()].map((manifest): PooledCase => {
    const byTrial = Map.groupBy(
      samples.filter(({ caseId, phase }) => caseId === manifest.id && phase === "measure"),
      ({ trial }) => trial,
    );
    return {
      trials: [...byTrial.keys()],
      fitsOf(trials) {
        const drawn = trials.flatMap((trial): readonly Sample[] => byTrial.get(trial) ?? []);
        const fits = fitMetrics(settingOf(run, [...targets.values()], manifest, drawn));
        const of = (metric: string) => fits.find(({ question }) => question.metric === metric);
        return { time: of(manifest.headline), "CPU time": of("cpuMs") };
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

function byPlan(said: readonly Said[], draws: number): readonly string[] {
  const rows = [...Map.groupBy(said, ({ plan }) => plan)].map(([plan, own]) => {
    const targets = own.filter(({ isControl }) => !isControl);
    const copies = many(warmOf(own.filter(({ isControl }) => isControl)));
    const answered = targets.filter(
      ({ comparison: { verdict } }) => verdict === "same" || isDifference(verdict),
    );
    const found = (factor: number) =>
      copies.share(({ ratio }) => judge(scaled(ratio, factor)).verdict === "slower");
    return [
      ...[plan, ...wordsOfIntervals(targets)],
      `${(answered.length / draws).toFixed(1)} of ${targets.length / draws}`,
      copies.share(({ ratio }) => isDifference(judge(ratio).verdict)),
      ...[found(1.05), found(1.1)],
    ];
  });
  return tableOf(HEAD, rows);
}

function warmOf(said: readonly Said[]) {
  return said.flatMap(({ comparison: { ratio, verdict }, rest, pool }) =>
    ratio === null || verdict === "not warm" ? [] : [{ ratio, rest, pool }],
  );
}

function wordsOfIntervals(said: readonly Said[]): readonly string[] {
  const warm = warmOf(said);
  const held = (truth: "rest" | "pool") =>
    many(
      warm.flatMap(({ ratio, [truth]: value }) => (value === null ? [] : [{ ratio, truth: value }])),
    ).share(holds);
  return [String(warm.length), held("rest"), held("pool"), halfWidthOf(warm)];
}

function byComparison(said: readonly Said[]): readonly string[] {
  const rows = [...Map.groupBy(said, ({ name, plan }) => `${name}, ${plan}`)].map(([name, own]) => [
    ...[name, own[0]?.pool?.toFixed(3) ?? "-", ...wordsOfIntervals(own).slice(1)],
    ...VERDICTS.map((verdict) => many(own).share(({ comparison }) => comparison.verdict === verdict)),
  ]);
  const head = ["comparison", "all trials", ...HEAD.slice(2, 5), ...VERDICTS];
  return tableOf(
    head,
    rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}
