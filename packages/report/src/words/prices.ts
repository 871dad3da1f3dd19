import { formatUsd } from "@evenbench/page";
import type { TargetFacts } from "../facts/facts.ts";

const MS_PER_HOUR = 3_600_000;
const MILLION = 1_000_000;

/** What a million requests cost in US dollars; null for what is not known. */
export interface MillionUsd {
  readonly cpu: number | null;
  readonly requests: number | null;
}

/** Computes what the CPU time of a million requests costs, in US dollars. @param cpuMs CPU time for one request. */
export function usdOfCpu(cpuMs: number, usdPerCpuHour: number): number {
  return (MILLION * cpuMs * usdPerCpuHour) / MS_PER_HOUR;
}

/** Computes what a million requests cost on a target's platform. @param cpuMs CPU time for one request. */
export function usdOfMillion(target: TargetFacts, cpuMs: number | null): MillionUsd {
  const { usdPerCpuHour, usdPerMillion } = target;
  const cpu = cpuMs === null || usdPerCpuHour === null ? null : usdOfCpu(cpuMs, usdPerCpuHour);
  return { cpu, requests: usdPerMillion };
}

/** Writes what a million requests cost: "$0.04 + $0.30", with "?" for what is not known; "–" for a platform without prices. */
export function millionWords(target: TargetFacts, cpuMs: number | null): string {
  const { cpu, requests } = usdOfMillion(target, cpuMs);
  if (cpu === null && requests === null) {
    return "–";
  }
  return [cpu, requests].map((usd) => (usd === null ? "?" : formatUsd(usd))).join(" + ");
}
