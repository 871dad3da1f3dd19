import { formatDuration, openRecord } from "@evenbench/core";
import { type CpuPrice, costOn, pricesOf } from "@evenbench/report";
import { formatCount } from "@evenbench/report/parts";
import { type MadePlan, shareOfTarget } from "./make-plan.ts";

const MEGABYTE = 1e6;

/** What is asked of a platform; `waitedMs` counts as its CPU time, which is the most that it can be. */
export interface PlatformShare {
  readonly platform: string | null;
  readonly requests: number;
  readonly bytes: number;
  readonly waitedMs: number;
}

export function askedFor({ plan, seenMs }: MadePlan): readonly string[] {
  const { exchanges, bytes, expectedMs, trials } = plan.counts;
  const shares = plan.run.targets.flatMap(({ name, copyOf, platform }) =>
    plan.cases
      .filter(({ targets }) => targets.includes(name))
      .map((planned): PlatformShare => {
        const share = shareOfTarget(plan.run, planned);
        return { platform, ...share, waitedMs: share.requests * (seenMs[planned.id]?.[copyOf ?? name] ?? 0) };
      }),
  );
  return [
    `Each client sends ${formatCount(exchanges)} requests and receives ${megabytes(bytes)}, in ${formatCount(trials)} trials; that takes about ${formatDuration(expectedMs)} from here.`,
    ...askedByPlatform(shares, pricesOf(plan.run.targets)),
  ];
}

export function askedByPlatform(
  shares: readonly PlatformShare[],
  prices: readonly CpuPrice[],
): readonly string[] {
  const sums = openRecord<Omit<PlatformShare, "platform">>();
  for (const { platform, requests, bytes, waitedMs } of shares) {
    const before = sums[platform ?? "elsewhere"] ?? { requests: 0, bytes: 0, waitedMs: 0 };
    sums[platform ?? "elsewhere"] = {
      requests: before.requests + requests,
      bytes: before.bytes + bytes,
      waitedMs: before.waitedMs + waitedMs,
    };
  }
  return Object.entries(sums).map(([platform, { requests, bytes, waitedMs }]) => {
    const usd = requests === 0 ? null : costOn(platform, waitedMs / requests, prices);
    const most =
      usd === null
        ? "no price is known"
        : `at most $${((usd * requests) / 1000).toPrecision(2)} of CPU time; its requests and traffic are charged besides`;
    return `  ${platform}: ${formatCount(requests)} requests, ${megabytes(bytes)}: ${most}`;
  });
}

export function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
