import type { CpuPrice as Asked } from "@evenbench/core";
import type { RunTarget } from "@evenbench/results";

export interface CpuPrice extends Asked {
  readonly platform: string;
}

export function pricesOf(targets: readonly RunTarget[]): readonly CpuPrice[] {
  const byPlatform = new Map(targets.map(({ platform, about }) => [platform, about?.cpuPrice]));
  return [...byPlatform].flatMap(([platform, price]) =>
    platform === null || price == null ? [] : [{ platform, ...price }],
  );
}

/** US dollars for the CPU time of a million requests to a platform. */
export function costOn(
  platform: string | null | undefined,
  msPerExchange: number,
  prices: readonly CpuPrice[],
): number | null {
  const price = prices.find((one) => one.platform === platform);
  return price === undefined ? null : costOfMillion(msPerExchange, price);
}

export function costOfMillion(msPerExchange: number, { usdPerCpuHour }: CpuPrice): number {
  return ((msPerExchange * 1e6) / 3_600_000) * usdPerCpuHour;
}
