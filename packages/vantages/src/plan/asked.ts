import { formatDuration, openRecord } from "@evenbench/core";
import { type CpuPrice, costOn, PUBLISHED_PRICES } from "@evenbench/report";
import { type MadePlan, shareOfTarget } from "./make-plan.ts";

const MEGABYTE = 1e6;

export function askedFor(made: MadePlan, prices: readonly CpuPrice[] = PUBLISHED_PRICES): readonly string[] {
  const { exchanges, bytes, expectedMs, trials } = made.plan.counts;
  const all = `Each client sends ${count(exchanges)} requests and receives ${megabytes(bytes)}, in ${count(trials)} trials; that takes about ${formatDuration(expectedMs)} from here.`;
  return [all, ...platformShares(made).map((share) => formatAsked(share, prices))];
}

export interface PlatformShare {
  readonly platform: string;
  readonly requests: number;
  readonly bytes: number;
  readonly waitedMs: number;
}

/** In a line, with the most that its CPU time can cost: `waitedMs` counts as such. */
export function formatAsked(
  { platform, requests, bytes, waitedMs }: PlatformShare,
  prices: readonly CpuPrice[] = PUBLISHED_PRICES,
): string {
  const usd = requests === 0 ? null : costOn(platform, waitedMs / requests, prices);
  const most =
    usd === null
      ? "no price is known"
      : `at most $${((usd * requests) / 1000).toPrecision(2)} of CPU time; its requests and traffic are charged besides`;
  return `  ${platform}: ${count(requests)} requests, ${megabytes(bytes)}: ${most}`;
}

function platformShares({ plan, seenMs }: MadePlan): readonly PlatformShare[] {
  const shares = openRecord<PlatformShare>();
  for (const { name, copyOf, platform } of plan.run.targets) {
    const key = platform ?? "elsewhere";
    for (const planned of plan.cases.filter(({ targets }) => targets.includes(name))) {
      const { requests, bytes } = shareOfTarget(plan.run, planned);
      const before = shares[key] ?? { platform: key, requests: 0, bytes: 0, waitedMs: 0 };
      const waitedMs = requests * (seenMs[planned.id]?.[copyOf ?? name] ?? 0);
      shares[key] = {
        platform: key,
        requests: before.requests + requests,
        bytes: before.bytes + bytes,
        waitedMs: before.waitedMs + waitedMs,
      };
    }
  }
  return Object.values(shares);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
