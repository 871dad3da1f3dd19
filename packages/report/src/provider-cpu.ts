import {
  CPU_ACCOUNTANTS,
  type ProviderAccount,
  type RunTarget,
  type Sample,
  type SampleKey,
} from "@evenbench/core";
import { type Metric, mean, meanInterval, median, type RatioInterval } from "@evenbench/stats";
import type { CpuPoint } from "./data.ts";

/** A platform's account of one request, with the key of its sample. */
export type JoinedAccount = SampleKey & ProviderAccount;

/** CPU time that a platform accounts to a target's requests in a case. Times in milliseconds. */
export interface ProviderCpuSummary {
  readonly target: string;
  /** Who accounts, and by what. */
  readonly accountant: string;
  /** Mean of the sets' means; platforms round, so that single requests can have 0. */
  readonly msPerRequest: number;
  /** Student's t over the sets of instances; null with fewer than two. */
  readonly interval: RatioInterval | null;
  /** Measured exchanges without an error, and those of them that have an account. */
  readonly exchanges: number;
  readonly joined: number;
  /** Most consecutive exchanges without one. */
  readonly longestGap: number;
  /** The joined part of the set of instances that has the smallest one: far below that of all, accounts are missing in lumps. */
  readonly leastShare: number;
  /** One for each set of instances with accounts. */
  readonly points: readonly CpuPoint[];
}

/** What the accounts of a case's requests say, for each target that has some. */
export function summariseProviderCpu(
  accounts: readonly JoinedAccount[],
  samples: readonly Sample[],
  targets: readonly RunTarget[],
  metric: Metric,
): readonly ProviderCpuSummary[] {
  return targets.flatMap(({ name, platform }) => {
    const cpuOf = new Map(
      accounts.filter(({ target }) => target === name).map((one) => [keyOf(one), one.cpuMs]),
    );
    const measured = samples.filter(
      ({ target, phase, error }) => target === name && phase === "measure" && error === null,
    );
    const sets = [...Map.groupBy(measured, ({ generation }) => generation).values()].map((own) => {
      const ordered = own.toSorted((a, b) => a.roundIndex - b.roundIndex);
      return {
        cpu: ordered.map((sample) => cpuOf.get(keyOf(sample)) ?? null),
        ms: median(ordered.flatMap((sample) => sample[metric] ?? [])),
      };
    });
    const points = sets.flatMap(({ cpu, ms }) => {
      const told = cpu.filter((one) => one !== null);
      return told.length === 0 ? [] : [{ target: name, cpuMs: mean(told), ms }];
    });
    if (points.length === 0) return [];
    const means = points.map(({ cpuMs }) => cpuMs);
    return [
      {
        target: name,
        accountant: CPU_ACCOUNTANTS[platform ?? ""] ?? "its platform",
        msPerRequest: mean(means),
        interval: meanInterval(means),
        exchanges: measured.length,
        joined: sets.reduce((sum, { cpu }) => sum + countTold(cpu), 0),
        longestGap: Math.max(...sets.map(({ cpu }) => longestGap(cpu))),
        leastShare: Math.min(...sets.map(({ cpu }) => countTold(cpu) / cpu.length)),
        points,
      },
    ];
  });
}

function keyOf({ generation, roundIndex, phase }: SampleKey): string {
  return `${generation} ${phase} ${roundIndex}`;
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
