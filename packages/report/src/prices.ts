import type { RequestPrice, CpuPrice as StatedPrice } from "@evenbench/core";
import { formatUsd } from "@evenbench/page";
import type { RunTarget } from "@evenbench/results";

/** The price of CPU time on a platform. */
export interface CpuPrice extends StatedPrice {
  /** Id of the platform. */
  readonly platform: string;
}

/** Lists the prices of the targets' platforms, each once; platforms without a price are left out. */
export function pricesOf(targets: readonly Pick<RunTarget, "platform" | "about">[]): readonly CpuPrice[] {
  const byPlatform = new Map(targets.map(({ platform, about }) => [platform, about?.cpuPrice]));
  return [...byPlatform].flatMap(([platform, price]) =>
    platform === null || price == null ? [] : [{ platform, ...price }],
  );
}

/** Lists the prices of requests on the targets' platforms, each once; platforms without a price are left out. */
export function requestPricesOf(
  targets: readonly Pick<RunTarget, "platform" | "about">[],
): readonly (RequestPrice & { readonly platform: string })[] {
  const byPlatform = new Map(targets.map(({ platform, about }) => [platform, about?.requestPrice]));
  return [...byPlatform].flatMap(([platform, price]) =>
    platform === null || price == null ? [] : [{ platform, ...price }],
  );
}

/** Writes what the CPU time of a million requests to a target costs: "$1.30"; null where its platform names no price. */
export function costOn(
  target: string,
  msPerExchange: number,
  { targets, prices }: { readonly targets: readonly RunTarget[]; readonly prices: readonly CpuPrice[] },
): string | null {
  const platform = targets.find(({ name }) => name === target)?.platform;
  const price = prices.find((price) => price.platform === platform);
  return price === undefined ? null : formatUsd(costOfMillion(msPerExchange, price));
}

/**
 * Computes what the CPU time of a million requests costs, in US dollars.
 *
 * @param msPerExchange CPU time of one request, in milliseconds.
 */
export function costOfMillion(msPerExchange: number, { usdPerCpuHour }: CpuPrice): number {
  return ((msPerExchange * 1e6) / 3_600_000) * usdPerCpuHour;
}
