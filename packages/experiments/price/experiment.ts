import type { CpuPrice } from "@evenbench/core";
import { usdOfCpu } from "@evenbench/report";
import { defineExperiment, type Evidence, sidesOfTargets, UNPACKING } from "../src/define.ts";
import { figureFor, figureOf, outcomeOf } from "../src/judge.ts";

/** Published prices of an hour of CPU time in US dollars, by the platform's id. */
const PUBLISHED_USD_PER_HOUR: Readonly<Record<string, number>> = { vercel: 0.128, cloudflare: 0.072 };
const CASE = "react-ssr";

interface PlatformCpuPrice extends CpuPrice {
  readonly platform: string;
}

/** The claim has two parts: the two prices. What a million requests cost by them stands beside them. */
export default defineExperiment<readonly PlatformCpuPrice[]>({
  title: "What CPU time costs",
  claim: "CPU time is billed at $0.128 an hour on Vercel (iad1) and at $0.072 an hour on Cloudflare.",
  source: UNPACKING,
  published: "$0.128 and $0.072 an hour",
  timeS: 50,
  comparisons: [{ id: CASE, caseId: CASE, sides: sidesOfTargets("vercel", "cloudflare") }],
  measure: async ({ targetOf }) =>
    Object.keys(PUBLISHED_USD_PER_HOUR).flatMap((platform) => {
      const { cpuPrice } = targetOf({ name: platform, target: platform }).platform;
      return cpuPrice === undefined ? [] : [{ platform, ...cpuPrice }];
    }),
  figures: [
    {
      comparison: CASE,
      side: "cloudflare",
      against: "vercel",
      metric: "cpu",
      label: `CPU time of ${CASE}, Cloudflare / Vercel, on this machine's processor`,
    },
  ],
  decide,
});

function decide({ figures, measured, ...evidence }: Evidence<readonly PlatformCpuPrice[]>) {
  const prices = measured.map((price) => {
    const note = `${price.title}: ${price.stated}, read on ${price.readOn} at ${price.source}.`;
    const isSame = price.usdPerCpuHour === PUBLISHED_USD_PER_HOUR[price.platform];
    return figureOf(`${price.platform}: an hour of CPU time`, "usd", price.usdPerCpuHour, {
      rule: () => [isSame ? "reproduced" : "not reproduced", note],
    });
  });
  const costs = measured.map((price) =>
    figureFor(evidence, {
      comparison: CASE,
      side: price.platform,
      unit: "usd",
      label: `${price.platform}: CPU time of a million requests of ${CASE}, and no other cost`,
      pick: ({ cpuMsPerExchange: ms }) =>
        ms && {
          estimate: usdOfCpu(ms.estimate, price.usdPerCpuHour),
          low: usdOfCpu(ms.low, price.usdPerCpuHour),
          high: usdOfCpu(ms.high, price.usdPerCpuHour),
        },
    }),
  );
  return outcomeOf([...prices, ...costs, ...figures]);
}
