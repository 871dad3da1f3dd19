import type { JoinedAccount, RunTarget, Sample, SampleKey } from "@evenbench/results";
import { type Metric, mean, meanInterval, median } from "@evenbench/stats";
import type { ProviderCpuSummary } from "./data.ts";

/** What the accounts of a case's requests say, for each target that has some. */
export function summariseProviderCpu(
  accounts: readonly JoinedAccount[],
  samples: readonly Sample[],
  targets: readonly RunTarget[],
  metric: Metric,
): readonly ProviderCpuSummary[] {
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
      return {
        cpu: ordered.map((sample) => cpuOf.get(keyOf(sample)) ?? null),
        ms: median(ordered.flatMap((sample) => sample[metric] ?? [])),
      };
    });
    const points = trials.flatMap(({ cpu, ms }) => {
      const told = cpu.filter((one) => one !== null);
      return told.length === 0 ? [] : [{ target: name, cpuMs: mean(told), ms }];
    });
    if (points.length === 0) return [];
    const means = points.map(({ cpuMs }) => cpuMs);
    return [
      {
        target: name,
        accountant: about?.cpuAccountant ?? "its platform",
        msPerRequest: mean(means),
        interval: meanInterval(means),
        exchanges: measured.length,
        joined: trials.reduce((sum, { cpu }) => sum + countTold(cpu), 0),
        longestGap: Math.max(...trials.map(({ cpu }) => longestGap(cpu))),
        leastShare: Math.min(...trials.map(({ cpu }) => countTold(cpu) / cpu.length)),
        points,
      },
    ];
  });
}

function keyOf({ trial, roundIndex, phase }: SampleKey): string {
  return `${trial} ${phase} ${roundIndex}`;
}

function countTold(cpu: readonly (number | null)[]): number {
  return cpu.filter((one) => one !== null).length;
}

function longestGap(cpu: readonly (number | null)[]): number {
  let [longest, current] = [0, 0];
  for (const one of cpu) {
    current = one === null ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}
