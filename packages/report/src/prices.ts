import { realpath } from "node:fs/promises";
import { type CpuPrice as Asked, messageOf } from "@evenbench/core";
import { ResultsError, type RunTarget, readRegular } from "@evenbench/results";
import { z } from "zod";

export interface CpuPrice extends Asked {
  readonly platform: string;
}

const priceTable: z.ZodType<readonly CpuPrice[]> = z
  .array(
    z.strictObject({
      platform: z.string(),
      title: z.string(),
      usdPerCpuHour: z.number().nonnegative(),
      stated: z.string(),
      readOn: z.iso.date(),
      source: z.url(),
    }),
  )
  .readonly();

export function pricesOf(targets: readonly RunTarget[]): readonly CpuPrice[] {
  const byPlatform = new Map(targets.map(({ platform, about }) => [platform, about?.cpuPrice]));
  return [...byPlatform].flatMap(([platform, price]) =>
    platform === null || price == null ? [] : [{ platform, ...price }],
  );
}

/** @throws {ResultsError} when it cannot be read or is none. */
export async function readPrices(file: string): Promise<readonly CpuPrice[]> {
  const what = `${file} is not a price table`;
  const remedy = "docs/prices.md has an example.";
  let content: unknown;
  try {
    content = JSON.parse(await readRegular(await realpath(file)));
  } catch (error) {
    throw new ResultsError(`${what}: ${messageOf(error)}. ${remedy}`);
  }
  const parsed = priceTable.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ResultsError(`${what}: ${issue?.path.join(".") || "its content"}: ${issue?.message}. ${remedy}`);
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
