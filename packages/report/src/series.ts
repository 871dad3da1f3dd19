import type { JoinedAccount, RunTarget, Sample, SampleKey } from "@evenbench/results";
import { mean, meanInterval, median } from "@evenbench/stats";

/** null of nothing; values that are null do not count. */
export function meanOrNull(values: readonly (number | null)[], middle = mean): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : middle(known);
}

export function medianOrNull(values: readonly (number | null)[]): number | null {
  return meanOrNull(values, median);
}

export function countErrors(samples: readonly Sample[]) {
  const failed = samples.filter((sample) => sample.error !== null);
  const groups = Map.groupBy(failed, (sample) => `${sample.target}\n${sample.error?.kind}`);
  return [...groups.values()]
    .map((group) => ({
      target: group[0]?.target ?? "",
      kind: group[0]?.error?.kind ?? "",
      count: group.length,
      example: group[0]?.error?.detail ?? "",
    }))
    .sort((a, b) => b.count - a.count);
}

export function timeSpent(samples: readonly Sample[]) {
  const spent = { warmUpMs: 0, measuringMs: 0 };
  for (const own of Map.groupBy(samples, ({ trial }) => trial).values()) {
    const starts = (phase: Sample["phase"]) =>
      own.flatMap((one) => (one.phase === phase ? [one.startedAtMs] : []));
    const measured = starts("measure").sort((a, b) => a - b);
    const [first, last] = [measured[0], measured.at(-1)];
    if (first === undefined || last === undefined) continue;
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
  return targets.flatMap(({ name, about }) => {
    const cpuOf = new Map(
      accounts.filter(({ target }) => target === name).map((one) => [keyOf(one), one.cpuMs]),
    );
    if (cpuOf.size === 0) return [];
    const measured = samples.filter(
      ({ target, phase, error }) => target === name && phase === "measure" && error === null,
    );
    const trials = [...Map.groupBy(measured, ({ trial }) => trial).values()].map((own) => {
      const ordered = own.toSorted((a, b) => a.roundIndex - b.roundIndex);
      return ordered.map((sample) => cpuOf.get(keyOf(sample)) ?? null);
    });
    const told = trials.map((cpu) => cpu.filter((ms) => ms !== null));
    const means = told.filter((cpu) => cpu.length > 0).map(mean);
    if (means.length === 0) return [];
    return [
      {
        target: name,
        accountant: about?.cpuAccountant ?? "its platform",
        /** Mean of the trials' means; platforms round, so that single requests can have 0. */
        msPerRequest: mean(means),
        interval: meanInterval(means),
        exchanges: measured.length,
        joined: told.flat().length,
        longestGap: Math.max(...trials.map(longestGap)),
        /** Far below the joined part of all, accounts are missing in lumps. */
        leastShare: Math.min(...trials.map((cpu, trial) => (told[trial]?.length ?? 0) / cpu.length)),
      },
    ];
  });
}

function keyOf({ trial, roundIndex, phase }: SampleKey): string {
  return `${trial} ${phase} ${roundIndex}`;
}

function longestGap(cpu: readonly (number | null)[]): number {
  let [longest, current] = [0, 0];
  for (const ms of cpu) {
    current = ms === null ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
