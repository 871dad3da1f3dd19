import type { JoinedAccount, RunTarget, Sample, SampleKey } from "@evenbench/results";
import { type Metric, mean, meanInterval, median, sorted } from "@evenbench/stats";

/** null of nothing; values that are null do not count. */
export function meanOrNull(values: readonly (number | null)[], middle = mean): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : middle(known);
}

export function medianOrNull(values: readonly (number | null)[]): number | null {
  return meanOrNull(values, median);
}

export const QUANTILE_POINTS = 40;
/** The slowest exchanges would squeeze all others to a line. */
export const LARGEST_SHARE = 0.98;

export function quantilesOf(samples: readonly Sample[], target: string, metric: Metric) {
  const measured = samples.filter(
    (sample) => sample.target === target && sample.phase === "measure" && sample.error === null,
  );
  const ordered = sorted(measured.flatMap((sample) => sample[metric] ?? []));
  const count = Math.min(QUANTILE_POINTS, ordered.length);
  if (count < 2) {
    return [];
  }
  const points = Array.from({ length: count }, (_, index) => {
    const share = (LARGEST_SHARE * index) / (count - 1);
    return { share, ms: ordered[Math.round(share * (ordered.length - 1))] ?? 0 };
  });
  return [{ target, points }];
}

export function countErrors(samples: readonly Sample[]) {
  const failed = samples.flatMap(({ target, error }) => (error === null ? [] : [{ target, ...error }]));
  const groups = Map.groupBy(failed, ({ target, kind }) => `${target}\n${kind}`);
  return [...groups.values()]
    .flatMap((group) => group.slice(0, 1).map((first) => ({ ...first, count: group.length })))
    .sort((a, b) => b.count - a.count);
}

export function timeSpent(samples: readonly Sample[]) {
  const spent = { warmUpMs: 0, measuringMs: 0 };
  for (const trialSamples of Map.groupBy(samples, ({ trial }) => trial).values()) {
    const starts = (phase: Sample["phase"]) =>
      trialSamples.flatMap((sample) => (sample.phase === phase ? [sample.startedAtMs] : []));
    const measured = starts("measure").sort((a, b) => a - b);
    const first = measured[0];
    const last = measured.at(-1);
    if (first === undefined || last === undefined) {
      continue;
    }
    spent.warmUpMs += first - Math.min(first, ...starts("warmup").slice(0, 1));
    spent.measuringMs += last - first;
  }
  return spent;
}

export function summariseProviderCpu(
  accounts: readonly JoinedAccount[],
  samples: readonly Sample[],
  targets: readonly RunTarget[],
) {
  const keyOf = ({ target, trial, roundIndex, phase }: SampleKey) =>
    `${target} ${trial} ${phase} ${roundIndex}`;
  const cpuOf = new Map(accounts.map((account) => [keyOf(account), account.cpuMs]));
  return targets.flatMap(({ name, about }) => {
    const measured = samples.filter(
      ({ target, phase, error }) => target === name && phase === "measure" && error === null,
    );
    const trials = [...Map.groupBy(measured, ({ trial }) => trial).values()];
    const accounted = trials.map((trial) => trial.flatMap((sample) => cpuOf.get(keyOf(sample)) ?? []));
    const means = accounted.filter((cpu) => cpu.length > 0).map(mean);
    if (means.length === 0) {
      return [];
    }
    return [
      {
        target: name,
        accountant: about?.cpuAccountant ?? "its platform",
        /** Mean of the trials' means; platforms round, so that single requests can have 0. */
        msPerRequest: mean(means),
        interval: meanInterval(means),
        exchanges: measured.length,
        joined: accounted.flat().length,
      },
    ];
  });
}
