import { realpath } from "node:fs/promises";
import { messageOf } from "@evenbench/core";
import { ResultsError, readRegular } from "@evenbench/results";
import { z } from "zod";
import published from "../prices.json" with { type: "json" };

/** What a platform asks for CPU time alone: requests, memory and traffic are not in it. */
export interface CpuPrice {
  readonly platform: string;
  readonly title: string;
  readonly usdPerCpuHour: number;
  /** The price as its source states it. */
  readonly stated: string;
  /** When the source was read, ISO 8601. */
  readonly readOn: string;
  readonly source: string;
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

/** Prices with date and source, in `packages/report/prices.json`. */
export const PUBLISHED_PRICES: readonly CpuPrice[] = published;

/**
 * Reads a price table of the user's own, in the form of `prices.json`.
 *
 * @throws {ResultsError} when it cannot be read or is none.
 */
export async function readPrices(file: string): Promise<readonly CpuPrice[]> {
  const what = `${file} is no price table`;
  const remedy = "Take packages/report/prices.json as the example.";
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

/** US dollars for the CPU time of 1,000 requests to a platform; null where it has no price. */
export function costOn(
  platform: string | null | undefined,
  msPerExchange: number,
  prices: readonly CpuPrice[],
): number | null {
  const price = prices.find((one) => one.platform === platform);
  return price === undefined ? null : costOfThousand(msPerExchange, price);
}

/** US dollars for the CPU time of 1,000 requests. */
export function costOfThousand(msPerExchange: number, { usdPerCpuHour }: CpuPrice): number {
  return ((msPerExchange * 1000) / 3_600_000) * usdPerCpuHour;
}
