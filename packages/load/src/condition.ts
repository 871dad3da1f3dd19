import type { LatencyCondition } from "@evenbench/results";

/** Milliseconds by unit. */
const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000 };

/** Reads a condition such as "p99 < 50 ms". @returns null where the text is none. */
export function parseCondition(text: string): LatencyCondition | null {
  const match = /^\s*p(\d{1,2}(?:\.\d{1,2})?)\s*<=?\s*(\d+(?:\.\d+)?)\s*(ms|s)\s*$/.exec(text);
  if (match === null) {
    return null;
  }
  // Through text, because 99.9 / 100 is not 0.999.
  const quantile = Number((Number(match[1]) / 100).toFixed(4));
  const limitMs = Number(match[2]) * (MILLISECONDS[match[3] ?? "ms"] ?? 1);
  return quantile > 0 && limitMs > 0 ? { quantile, limitMs } : null;
}
