import type { RequestPrice, CpuPrice as StatedPrice } from "@evenbench/core";
import { formatUsd } from "@evenbench/page";
import type { RunTarget } from "@evenbench/results";

/** The price of CPU time on a platform. */
export interface PlatformCpuPrice extends StatedPrice {
  /** Id of the platform. */
  readonly platform: string;
}

/** Lists the prices of the targets' platforms, each once; platforms without a price are left out. */
export function pricesOf(
  targets: readonly Pick<RunTarget, "platform" | "about">[],
): readonly PlatformCpuPrice[] {
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

/**
 * Writes what the CPU time of a million requests to a target costs: "$1.30"; null where its platform names no price.
 */
export function cpuCostOn(
  target: string,
  msPerExchange: number,
  {
    targets,
    prices,
  }: { readonly targets: readonly RunTarget[]; readonly prices: readonly PlatformCpuPrice[] },
): string | null {
  const platform = targets.find(({ name }) => name === target)?.platform;
  const price = prices.find((price) => price.platform === platform);
  return price === undefined ? null : formatUsd(cpuCostOfMillion(msPerExchange, price));
}

/**
 * Computes what the CPU time of a million requests costs, in US dollars.
 *
 * @param msPerExchange CPU time of one request, in milliseconds.
 */
export function cpuCostOfMillion(msPerExchange: number, { usdPerCpuHour }: PlatformCpuPrice): number {
  return ((msPerExchange * 1e6) / 3_600_000) * usdPerCpuHour;
}

/** The cost of a million requests to one path of one target by the prices of its platform, in US dollars. */
export interface MillionCost {
  /** Their CPU time. null where it was not measured, or has no price. */
  readonly cpuUsd: number | null;
  /** The requests themselves, whatever they compute. null where they have no price. */
  readonly requestsUsd: number | null;
}

/**
 * Computes the parts of what a million requests to a target cost, by mean CPU time on this machine's processor.
 *
 * @param cpuMsPerExchange CPU time of one request, in milliseconds; null where it was not measured.
 */
export function costPartsOfMillion(
  target: Pick<RunTarget, "platform" | "about">,
  cpuMsPerExchange: number | null,
): MillionCost {
  const [price] = pricesOf([target]);
  return {
    cpuUsd:
      price === undefined || cpuMsPerExchange === null ? null : cpuCostOfMillion(cpuMsPerExchange, price),
    requestsUsd: target.about?.requestPrice?.usdPerMillion ?? null,
  };
}
