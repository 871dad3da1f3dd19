import type { MsInterval } from "./difference.ts";

/** A difference in milliseconds: "4.88 ms", "−0.12 ms". */
export function asMs(ms: number): string {
  return `${signed(ms, decimalsFor(Math.abs(ms)))} ms`;
}

/** With its interval: "4.88 ms (3.04 to 6.65)". Decimals follow the interval's width. */
export function asMsInterval({ estimate, low, high }: MsInterval): string {
  const decimals = decimalsFor(high - low);
  return `${signed(estimate, decimals)} ms (${signed(low, decimals)} to ${signed(high, decimals)})`;
}

function decimalsFor(size: number): number {
  return size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
}

function signed(ms: number, decimals: number): string {
  const text = Math.abs(ms).toFixed(decimals);
  return ms < 0 && Number(text) !== 0 ? `−${text}` : text;
}
