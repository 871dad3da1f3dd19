// What the correction for the speed of cores does to runs that were measured: the same samples are analysed with it and
// without it.
import { basename } from "node:path";
import { selectCase } from "@evenbench/report";
import { type Metric, type Run, readRun, type Sample } from "@evenbench/results";
import {
  analyseFit,
  type CaseFit,
  fitCase,
  type GaugedTime,
  geometricInterval,
  median,
  priorOfCases,
  speedAdjustedMs,
  speedElasticity,
  usualLogGauge,
} from "@evenbench/stats";
import { percentOf, tableOf } from "./resample.ts";

/** A way to correct the samples of a case. */
interface Variant {
  /** Name of the variant in tables. */
  readonly name: string;
  /** Corrects the valid samples of one case, and leaves none of them with a gauge. */
  correct(samples: readonly Sample[], metric: Metric): readonly Sample[];
}

const UNCORRECTED: Variant = {
  name: "as measured",
  correct: (samples) => samples.map(withoutGauge),
};

const VARIANTS: readonly Variant[] = [
  UNCORRECTED,
  {
    name: "slope of each target",
    correct: (samples, metric) => adjusted(samples, metric, ({ target }) => target),
  },
  { name: "slope of the case", correct: (samples, metric) => adjusted(samples, metric, () => "all") },
];

/** The metrics that are studied, as tables name them. */
const METRICS: Readonly<Record<string, Metric>> = { time: "lastByteMs", "CPU time": "cpuMs" };

/** What a variant makes of a case. */
interface VariantResult {
  /** Residual standard deviation of instances, on the scale of logarithms. */
  readonly scatter: number;
  /** Median half-width of the intervals of its comparisons, on the scale of logarithms; NaN where it has none. */
  readonly halfWidth: number;
  /** Distance of the copy from its original, on the scale of logarithms; NaN where there is none. */
  readonly copyDistance: number;
}

/** A gauged case of a run with its results by each variant. */
interface StudiedCase {
  /** Name of the run's folder. */
  readonly run: string;
  readonly caseId: string;
  /** Name of the metric in tables. */
  readonly metric: string;
  /** Median of the metric of all its exchanges, in milliseconds. */
  readonly medianMs: number;
  /** How far each target follows the speed of its core, by its name: its slope. */
  readonly slopes: ReadonlyMap<string, number>;
  /** Median gauge of each target relative to that of all, as a fraction above or below. */
  readonly gauges: ReadonlyMap<string, number>;
  /** In the order of `VARIANTS`. */
  readonly results: readonly VariantResult[];
}

/**
 * Analyses runs with and without the correction for the speed of cores.
 *
 * @param folders paths of the folders of runs with their samples.
 * @returns tables in Markdown: case by case, shortest requests first; and all of them together.
 * @throws where a run cannot be read as a whole, or no case of the runs was gauged.
 */
export async function studyGauge(folders: readonly string[]): Promise<string> {
  const cases: StudiedCase[] = [];
  for (const folder of folders) {
    const { run, samples, damage } = await readRun(folder);
    if (damage !== null) {
      throw new Error(damage);
    }
    for (const metric of Object.keys(METRICS)) {
      cases.push(...studyRun(basename(folder), run, samples, metric));
    }
  }
  if (cases.length === 0) {
    throw new Error("No case of these runs was gauged.");
  }
  const lines: string[] = [];
  for (const [metric, ofMetric] of Map.groupBy(cases, (studied) => studied.metric)) {
    const ascending = ofMetric.toSorted((a, b) => a.medianMs - b.medianMs);
    lines.push(
      `## ${metric}`,
      "",
      ...byCase(ascending),
      "",
      ...together(ascending),
      "",
      ...slopes(ascending),
      "",
    );
  }
  return lines.join("\n");
}

/** Studies the gauged cases of a run. All its cases say how certain their variances are. */
function studyRun(
  name: string,
  run: Run,
  samples: readonly Sample[],
  metricName: string,
): readonly StudiedCase[] {
  const metric = METRICS[metricName] as Metric;
  const byCase = Map.groupBy(samples, ({ caseId }) => caseId);
  const results = VARIANTS.map((variant) => resultsOf(run, byCase, metric, variant));
  const studied: StudiedCase[] = [];
  for (const [caseId, ofCase] of byCase) {
    const valid = validOf(ofCase, metric);
    const isGauged = valid.some(({ gaugeMs }) => gaugeMs !== undefined);
    const ofVariants = results.flatMap((byId) => byId.get(caseId) ?? []);
    if (!isGauged || ofVariants.length < VARIANTS.length) {
      continue;
    }
    const usual = median(valid.flatMap(({ gaugeMs }) => gaugeMs ?? []));
    const targets = [...Map.groupBy(valid, ({ target }) => target)];
    studied.push({
      run: name,
      caseId,
      metric: metricName,
      medianMs: median(valid.map((sample) => sample[metric] as number)),
      slopes: new Map(targets.map(([target, ofTarget]) => [target, slopeOf(ofTarget, metric)])),
      gauges: new Map(
        targets.map(([target, ofTarget]) => {
          return [target, median(ofTarget.flatMap(({ gaugeMs }) => gaugeMs ?? [])) / usual - 1];
        }),
      ),
      results: ofVariants,
    });
  }
  return studied;
}

/** Analyses a run whose cases are corrected by one variant. @returns by case; without those that have no variance. */
function resultsOf(
  run: Run,
  byCase: ReadonlyMap<string, readonly Sample[]>,
  metric: Metric,
  variant: Variant,
): ReadonlyMap<string, VariantResult> {
  const fits: CaseFit[] = [];
  for (const manifest of run.plan.cases) {
    const samples = byCase.get(manifest.id) ?? [];
    const { question } = selectCase(run, run.plan.targets, manifest, samples);
    const rest = samples.filter(({ phase }) => phase !== "measure");
    const corrected = variant.correct(validOf(samples, metric), metric);
    fits.push(fitCase([...rest, ...corrected], question(metric)));
  }
  const prior = priorOfCases(fits);
  const known = fits.filter(({ fit }) => fit.freedom > 0);
  return new Map(
    known.map((fitted) => {
      const { comparisons, control } = analyseFit(fitted, prior);
      const ratios = comparisons.flatMap(({ ratio }) => ratio ?? []);
      const result: VariantResult = {
        scatter: Math.sqrt(fitted.fit.variance),
        halfWidth: median(ratios.map(({ low, high }) => Math.log(high / low) / 2)),
        copyDistance: Math.abs(Math.log(control?.ratio?.estimate ?? Number.NaN)),
      };
      return [fitted.question.caseId, result];
    }),
  );
}

/** Gives the measured samples of a case that did not fail, and of which the metric is known. */
function validOf(samples: readonly Sample[], metric: Metric): readonly Sample[] {
  return samples.filter(
    (sample) => sample.phase === "measure" && sample.error === null && sample[metric] !== null,
  );
}

/**
 * Adjusts the metric of samples to the usual speed of cores.
 *
 * @param groupOf names the group of a sample; each group has one slope.
 */
function adjusted(
  samples: readonly Sample[],
  metric: Metric,
  groupOf: (sample: Sample) => string,
): readonly Sample[] {
  const usual = usualLogGauge(samples.map((sample) => timeOf(sample, metric)));
  const slopeByGroup = new Map(
    [...Map.groupBy(samples, groupOf)].map(([group, ofGroup]) => [group, slopeOf(ofGroup, metric)]),
  );
  return samples.map((sample) => {
    const slope = slopeByGroup.get(groupOf(sample)) as number;
    return { ...withoutGauge(sample), [metric]: speedAdjustedMs(timeOf(sample, metric), slope, usual) };
  });
}

/** Estimates how far samples follow the speed of their cores, within instances. */
function slopeOf(samples: readonly Sample[], metric: Metric): number {
  const instances = Map.groupBy(samples, ({ target, trial }) => `${trial} ${target}`);
  return speedElasticity(
    [...instances.values()].map((ofOne) => ofOne.map((sample) => timeOf(sample, metric))),
  );
}

function timeOf(sample: Sample, metric: Metric): GaugedTime {
  return { ms: sample[metric] as number, gaugeMs: sample.gaugeMs };
}

function withoutGauge({ gaugeMs: _, ...sample }: Sample): Sample {
  return sample;
}

/** Writes scatter, half-width and the copy's distance of each case by each variant. */
function byCase(cases: readonly StudiedCase[]): readonly string[] {
  const head = ["run, case", "median ms"];
  for (const what of ["scatter", "half-width", "copy's distance"]) {
    head.push(...VARIANTS.map(({ name }) => `${what}, ${name}`));
  }
  const rows = cases.map(({ run, caseId, medianMs, results }) => [
    `${run}, ${caseId}`,
    medianMs.toFixed(1),
    ...results.map(({ scatter }) => percentOf(scatter)),
    ...results.map(({ halfWidth }) => percentOf(halfWidth)),
    ...results.map(({ copyDistance }) => percentOf(copyDistance)),
  ]);
  return tableOf(head, rows);
}

/** Writes how many times as large all cases together are by each variant as they were measured. */
function together(cases: readonly StudiedCase[]): readonly string[] {
  const rows = VARIANTS.flatMap((variant, index) => {
    if (variant === UNCORRECTED) {
      return [];
    }
    return [
      [
        variant.name,
        ...factorWords(cases, index, "scatter"),
        ...factorWords(cases, index, "halfWidth"),
        closer(cases, index),
      ],
    ];
  });
  return tableOf(
    [
      "variant",
      "scatter × (95 %)",
      "smaller in",
      "half-width × (95 %)",
      "smaller in",
      "copies nearer to 1 in",
    ],
    rows,
  );
}

/** Writes the geometric mean, with its interval, of a figure relative to its uncorrected value; and how often it is smaller. */
function factorWords(
  cases: readonly StudiedCase[],
  index: number,
  figure: "scatter" | "halfWidth",
): readonly string[] {
  const logs = cases
    .map(({ results }) => Math.log((results[index]?.[figure] ?? 0) / (results[0]?.[figure] ?? 0)))
    .filter(Number.isFinite);
  const interval = geometricInterval(logs, 0.95);
  const smaller = logs.filter((log) => log < 0).length;
  const words =
    interval === null
      ? "-"
      : `${interval.estimate.toFixed(2)} (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;
  return [words, `${smaller} of ${logs.length}`];
}

function closer(cases: readonly StudiedCase[], index: number): string {
  const known = cases.filter(({ results }) => Number.isFinite(results[0]?.copyDistance));
  const nearer = known.filter(
    ({ results }) => (results[index]?.copyDistance ?? 0) < (results[0]?.copyDistance ?? 0),
  );
  return `${nearer.length} of ${known.length}`;
}

/** Writes each target's slope, and its gauge relative to the case's. */
function slopes(cases: readonly StudiedCase[]): readonly string[] {
  const targets = [...new Set(cases.flatMap((studied) => [...studied.slopes.keys()]))];
  const rows = cases.map(({ run, caseId, slopes: ofTargets, gauges }) => [
    `${run}, ${caseId}`,
    ...targets.map((target) => {
      const slope = ofTargets.get(target);
      return slope === undefined
        ? "-"
        : `${slope.toFixed(2)} (gauge ${percentOf(gauges.get(target) as number)})`;
    }),
  ]);
  return tableOf(["run, case", ...targets.map((target) => `slope of ${target}`)], rows);
}
