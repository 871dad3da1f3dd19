import { type CpuPrice, costOfMillion } from "@evenbench/report";
import type { ComparisonResult, Figure, Outcome } from "@evenbench/results";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { exactly, outcomeOf, ratioFigure, sideFigure } from "../src/judge.ts";

/** US dollars for an hour of CPU time. */
const PUBLISHED: Readonly<Record<string, number>> = { vercel: 0.128, cloudflare: 0.072 };
const CASE = "react-ssr";

export default defineExperiment({
  title: "What CPU time costs",
  claim: "CPU time is billed at $0.128 an hour on Vercel (iad1) and at $0.072 an hour on Cloudflare.",
  source: UNPACKING,
  published: "$0.128 and $0.072 an hour",
  timeS: 50,
  comparisons: [
    {
      id: CASE,
      caseId: CASE,
      sides: [
        { name: "vercel", target: "vercel" },
        { name: "cloudflare", target: "cloudflare" },
      ],
    },
  ],
  measureShare: 0,
  measure: async ({ target }) =>
    Object.keys(PUBLISHED).flatMap((platform): CpuPrice[] => {
      const { cpuPrice } = target(platform).platform;
      return cpuPrice === undefined ? [] : [{ platform, ...cpuPrice }];
    }),
  decide: ({ comparisons, own }) => decide(comparisons[CASE], own),
});

/**
 * The prices decide, as they were read on the list's date; the cost of requests is theirs times the CPU time
 * measured here.
 */
export function decide(comparison: ComparisonResult | undefined, prices: readonly CpuPrice[]): Outcome {
  const known = prices.filter(({ platform }) => PUBLISHED[platform] !== undefined);
  const deciding = known.map((price): Figure => {
    const same = price.usdPerCpuHour === PUBLISHED[price.platform];
    return {
      label: `${price.platform}: an hour of CPU time`,
      unit: "usd",
      value: exactly(price.usdPerCpuHour),
      verdict: same ? "reproduced" : "not reproduced",
      note: `${price.title}: ${price.stated}, read on ${price.readOn} at ${price.source}.`,
    };
  });
  const costs = known.map((price): Figure => {
    const label = `${price.platform}: CPU time of a million requests of ${CASE}, and no other cost`;
    return sideFigure(comparison, price.platform, { label, unit: "usd" }, ({ cpuMsPerExchange: ms }) =>
      ms === null
        ? null
        : {
            estimate: costOfMillion(ms.estimate, price),
            low: costOfMillion(ms.low, price),
            high: costOfMillion(ms.high, price),
          },
    );
  });
  const cpu = ratioFigure(comparison, {
    label: `CPU time of ${CASE}, Cloudflare / Vercel, on this machine's processor`,
    side: "cloudflare",
    against: "vercel",
    metric: "cpu",
  });
  return outcomeOf(deciding, [...costs, cpu]);
}
