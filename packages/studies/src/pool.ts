import { selectCase } from "@evenbench/report";
import { type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  fitCase,
  fitTwoWay,
  isDifference,
  priorOfCases,
  seededRandom,
  VERDICTS,
  verdictOf,
} from "@evenbench/stats";
import {
  halfWidthOf,
  holds,
  type IsMeasured,
  LEAST,
  many,
  manyOf,
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
type Fits = Readonly<Record<(typeof METRICS)[number], CaseFit>>;

interface PooledCase {
  readonly trials: readonly number[];
  /** What a run of these trials alone would say. */
  fitsOf(trials: readonly number[], isMeasured?: IsMeasured): Fits;
  readonly whole: Fits;
}

/** What one drawn run says of one comparison. */
type PooledVerdict = ReturnType<typeof verdictsOf>[number];

/** Short runs are drawn from long ones, and judged as a run is. The trials that were not drawn say what is true. */
export async function studyPool(
  folders: readonly string[],
  { draws, sizes, most, seed }: PoolOptions,
): Promise<string> {
  const cases = await readPool(folders);
  const plans = [
    ...sizes.map((size) => ({ plan: `${size} trials`, size })),
    ...(most < LEAST ? [] : [{ plan: `${LEAST} to ${most} trials, until decided`, size: null }]),
  ];
  const random = seededRandom(seed);
  const verdicts = manyOf(draws, () => {
    const drawn = drawCases(cases, random);
    return plans.flatMap(({ plan, size }) => {
      const all = size === null ? untilDecided(drawn, most) : drawn.map((caseAt) => caseAt(size));
      return METRICS.flatMap((metric) => verdictsOf(plan, metric, all));
    });
  }).all;
  const least = Math.min(...cases.map(({ trials }) => trials.length));
  const first = verdicts.filter(({ plan }) => plan.endsWith(`, ${plans[0]?.plan}`));
  return [
    `${cases.length} cases, ${least} trials of each or more, ${draws} drawn runs of each kind, seed ${seed}.`,
    "",
    ...byPlan(verdicts, draws),
    "",
    ...byComparison(first),
  ].join("\n");
}

type DrawnCase = ReturnType<ReturnType<typeof drawCases>[number]>;

/** By their first trials. All cases share the order of these. */
function drawCases(cases: readonly PooledCase[], random: () => number) {
  const all = new Set(cases.flatMap(({ trials }) => trials));
  const keys = new Map([...all].map((trial) => [trial, random()]));
  return cases.map(({ trials, fitsOf, whole }) => {
    const ordered = trials.toSorted((a, b) => (keys.get(a) as number) - (keys.get(b) as number));
    return (count: number, isMeasured: IsMeasured = () => true) => {
      const drawn = ordered.slice(0, count);
      return { ...fitsOf(drawn, isMeasured), drawn, whole };
    };
  });
}

function verdictsOf(plan: string, metric: (typeof METRICS)[number], cases: readonly DrawnCase[]) {
  const prior = priorOfCases(cases.map(({ [metric]: fit }) => fit));
  return cases.flatMap(({ drawn, [metric]: fit, whole: { [metric]: whole } }) => {
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
      const rest = ratioBy(warm.filter(({ block }) => !drawn.includes(block)));
      return { plan: `${metric}, ${plan}`, name, comparison, isControl, rest, pool: ratioBy(warm) };
    });
  });
}

async function readPool(folders: readonly string[]): Promise<readonly PooledCase[]> {
  const all = (await Promise.all(folders.map(readRun))).map(({ run, samples, damage }, index) => {
    if (damage !== null) {
      throw new Error(damage);
    }
    return { run, samples: moved(samples, index), warmUps: moved(run.warmUps, index) };
  });
  const plans = all.map(({ run }) => run.plan);
  const pooled = { ...(all[0]?.run as Run), warmUps: all.flatMap(({ warmUps }) => warmUps) };
  const targets = new Map(plans.flatMap((plan) => plan.targets.map((target) => [target.name, target])));
  const samples = all.flatMap(({ samples }) => samples);
  const manifests = new Map(plans.flatMap((plan) => plan.cases.map((manifest) => [manifest.id, manifest])));
  return [...manifests.values()].map((manifest): PooledCase => {
    const byTrial = Map.groupBy(
      samples.filter(({ caseId, phase }) => caseId === manifest.id && phase === "measure"),
      ({ trial }) => trial,
    );
    const trials = [...byTrial.keys()];
    const fitsOf: PooledCase["fitsOf"] = (chosen, isMeasured = () => true) => {
      const drawn = chosen.flatMap((trial, index): readonly Sample[] =>
        (byTrial.get(trial) ?? []).filter(({ target }) => isMeasured(index, target)),
      );
      const { question } = selectCase(pooled, [...targets.values()], manifest, drawn);
      return {
        time: fitCase(drawn, question(manifest.headline)),
        "CPU time": fitCase(drawn, question("cpuMs")),
      };
    };
    return { trials, fitsOf, whole: fitsOf(trials) };
  });
}

function moved<T extends { readonly trial: number }>(all: readonly T[], index: number): readonly T[] {
  return all.map((record) => ({ ...record, trial: record.trial + index * NEXT_RUN }));
}

const HEAD = [
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
    const found = (factor: number) =>
      copies.share(({ ratio }) => verdictOf(scaled(ratio, factor)).verdict === "slower");
    return [
      plan,
      ...wordsOfIntervals(targets),
      `${(answered.length / draws).toFixed(1)} of ${targets.length / draws}`,
      copies.share(({ ratio }) => isDifference(verdictOf(ratio).verdict)),
      found(1.05),
      found(1.1),
    ];
  });
  return tableOf(HEAD, rows);
}

function warmOf(verdicts: readonly PooledVerdict[]) {
  return verdicts.flatMap(({ comparison: { ratio, verdict }, rest, pool }) =>
    ratio === null || verdict === "not warm" ? [] : [{ ratio, rest, pool }],
  );
}

function wordsOfIntervals(verdicts: readonly PooledVerdict[]): readonly string[] {
  const warm = warmOf(verdicts);
  const held = (truth: "rest" | "pool") =>
    many(
      warm.flatMap(({ ratio, [truth]: value }) => (value === null ? [] : [{ ratio, truth: value }])),
    ).share(holds);
  return [String(warm.length), held("rest"), held("pool"), halfWidthOf(warm)];
}

function byComparison(verdicts: readonly PooledVerdict[]): readonly string[] {
  const rows = [...Map.groupBy(verdicts, ({ name, plan }) => `${name}, ${plan}`)].map(([name, group]) => [
    name,
    group[0]?.pool?.toFixed(3) ?? "-",
    ...wordsOfIntervals(group).slice(1),
    ...VERDICTS.map((verdict) => many(group).share(({ comparison }) => comparison.verdict === verdict)),
  ]);
  const head = ["comparison", "all trials", ...HEAD.slice(2, 5), ...VERDICTS];
  return tableOf(
    head,
    rows.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
}
