import { formatUsd } from "@evenbench/page";
import type { Facts, TargetFacts } from "../facts/facts.ts";
import { answerOf, levelOf } from "./columns.ts";

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

/** Computes what a million requests of a case cost on a target's platform; what a cache or a file gives has no price. */
export function usdOfMillion(facts: Facts, caseId: string, target: TargetFacts): MillionUsd {
  const { usdPerCpuHour, usdPerMillion } = target;
  const { from = "computed" } = answerOf(facts, caseId, target.name) ?? {};
  if (from !== "computed") {
    return { cpu: null, requests: null };
  }
  const { value: cpuMs = null } = levelOf(facts, caseId, target.name, "cpuMs") ?? {};
  const cpu = cpuMs === null || usdPerCpuHour === null ? null : usdOfCpu(cpuMs, usdPerCpuHour);
  return { cpu, requests: usdPerMillion };
}

/** Writes what a million requests cost: "$0.04 + $0.30", with "?" for what is not known; "–" for what has no price. */
export function millionWords(facts: Facts, caseId: string, target: TargetFacts): string {
  const { cpu, requests } = usdOfMillion(facts, caseId, target);
  if (cpu === null && requests === null) {
    return "–";
  }
  return [cpu, requests].map((usd) => (usd === null ? "?" : formatUsd(usd))).join(" + ");
}
