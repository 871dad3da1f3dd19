// How growth from request to request is written, and whatever a condition looks at.
import { formatBytes, formatCount } from "@evenbench/page";
import type { TargetFacts, Trend } from "../facts/facts.ts";
import type { Judged } from "../facts/trends.ts";
import { METRICS } from "./metrics.ts";
import { cell } from "./notation.ts";
import { WHY_WORDS } from "./why.ts";

/** Writes what has a verdict: a change as in tables, growth with what grows: "heap grows by 38.7 KB (38.6 KB to 38.8 KB) a request". */
export function verdictWords(judged: Judged): string {
  if (!("bound" in judged)) {
    return cell(judged);
  }
  const { metric, verdict, low, high } = judged;
  // A condition may ask for less than what is called flat.
  const words =
    verdict === "flat" && low !== null && high !== null ? `flat ${ends(low, high)}` : trendWords(judged);
  return `${METRICS[metric].short} ${words} a request`;
}

/** Writes a slope: "grows by 38.7 KB (38.6 KB to 38.8 KB)", "flat (under 500 B)", "unclear (−200 B to 3.1 KB)". */
export function trendWords({ estimate, low, high, bound, verdict, why }: Trend): string {
  if (estimate === null || low === null || high === null) {
    return why === null ? "–" : WHY_WORDS[why];
  }
  if (verdict === "flat") {
    return `flat (under ${formatBytes(bound)})`;
  }
  return verdict === "grows"
    ? `grows by ${signedBytes(estimate)} ${ends(low, high)}`
    : `unclear ${ends(low, high)}`;
}

function ends(low: number, high: number): string {
  return `(${signedBytes(low)} to ${signedBytes(high)})`;
}

/**
 * Writes after how many more requests a target reaches its platform's limit on memory, by what is in use and what grows of it:
 * "3,300 more requests to 128 MB"; "–" where nothing grows, or there is no limit.
 */
export function requestsToLimit(
  { name, limits }: TargetFacts,
  trends: readonly Trend[],
  inUseBytes: number,
): string {
  const limit = limits.find(({ metric }) => metric === "heapBytes");
  const growing = trends.filter(({ target, verdict }) => target === name && verdict === "grows");
  const slope = growing.reduce((all, { estimate }) => all + (estimate ?? 0), 0);
  if (limit === undefined || slope <= 0) {
    return "–";
  }
  const requests = Math.max(0, limit.value - inUseBytes) / slope;
  if (requests === 0) {
    return `above ${formatBytes(limit.value)}`;
  }
  return `${formatCount(Number(requests.toPrecision(2)))} more requests to ${formatBytes(limit.value)}`;
}

function signedBytes(bytes: number): string {
  return bytes < 0 ? `−${formatBytes(-bytes)}` : formatBytes(bytes);
}
