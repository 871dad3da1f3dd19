import { fitMetrics, settingOf } from "@evenbench/report";
import { ResultsError, type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  fitTwoWay,
  isDifference,
  judge,
  priorOfCases,
  seededRandom,
  VERDICTS,
} from "@evenbench/stats";
import {
  halfWidthOf,
  holds,
  LEAST,
  many,
  manyOf,
  remembered,
  scaled,
  tableOf,
  untilDecided,
} from "./drawn.ts";

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
type Said = ReturnType<typeof saidOf>[number];

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
  const said = manyOf(draws, () => {
    const orders = drawOrders(cases, random);
    const drawnOf = (index: number, count: number) => orders[index]?.slice(0, count) ?? [];
    const fitAt = remembered((index: number, count: number) => cases[index]?.fitsOf(drawnOf(index, count)));
    const timeAt = (index: number, count: number) => fitAt(index, count)?.time;
    return plans.flatMap(({ plan, size }) => {
      const counts = size === null ? untilDecided(cases.length, most, timeAt) : cases.map(() => size);
      return METRICS.flatMap((metric) => {
        const fits = counts.flatMap((count, index) => {
          const [fit, whole] = [fitAt(index, count)?.[metric], wholes[index]?.[metric]];
          return fit === undefined || whole === undefined
            ? []
            : [{ fit, whole, drawn: new Set(drawnOf(index, count)) }];
        });
        return saidOf(`${metric}, ${plan}`, fits);
      });
    });
  }).all;
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
  const all = new Set(cases.flatMap(({ trials }) => trials));
  const keys = new Map([...all].map((trial) => [trial, random()]));
  return cases.map(({ trials }) =>
    trials.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number)),
  );
}

interface DrawnFit {
  readonly fit: CaseFit;
  /** By all trials of the pool. */
  readonly whole: CaseFit;
  readonly drawn: ReadonlySet<number>;
}

/** @param plan "time, 3 trials" */
function saidOf(plan: string, fits: readonly DrawnFit[]) {
  const prior = priorOfCases(fits.map(({ fit }) => fit));
  return fits.flatMap(({ fit, whole, drawn }) => {
    const { comparisons, control } = analyseFit(fit, prior);
    const warm = whole.cells.filter((cell) => cell.cold === null && !whole.cold.has(cell.target));
    const { baseline, copy } = whole.question;
    return [...comparisons, ...(control === null ? [] : [control])].map((comparison) => {
      const isControl = comparison === control;
      const bases = isControl || copy === null ? [baseline] : [baseline, copy];
      const ratioBy = (cells: typeof warm) => {
        const difference = fitTwoWay(cells).difference([comparison.target], bases);
        return difference === null ? null : Math.exp(difference.estimate);
      };
      const name = `${comparison.caseId}, ${comparison.target}`;
      /** The same ratio by the trials that were not drawn. */
      const rest = ratioBy(warm.filter(({ block }) => !drawn.has(block)));
      return { plan, name, comparison, isControl, rest, pool: ratioBy(warm) };
    });
  });
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
  const targets = new Map(plans.flatMap((plan) => plan.targets.map((target) => [target.name, target])));
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
