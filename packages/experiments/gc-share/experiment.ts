import type { Estimate, Figure, Outcome } from "@evenbench/results";
import { meanInterval } from "@evenbench/stats";
import { type CollectorShares, collectorShares } from "../src/collector.ts";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { estimate, exactly, outcomeOf } from "../src/judge.ts";

const LEAST = 0.1;
const MOST = 0.25;
/**
 * Many short profiles say more than few long ones: fresh instances differ, and Student's t falls from 4.3
 * with three to 2.6 with six.
 */
const PROFILES = 6;
const PROFILED = [
  { target: "node", caseId: "react-ssr" },
  { target: "cloudflare", caseId: "react-ssr" },
  { target: "next-node", caseId: "next-page" },
  { target: "next-cloudflare", caseId: "next-page" },
] as const;

export default defineExperiment<readonly CollectorShares[]>({
  title: "The collector's share",
  claim: "10 to 25 % of the time of a request went to garbage collection.",
  source: UNPACKING,
  published: "10–25 %",
  timeS: 240,
  sides: PROFILED.map(({ target }) => ({ name: target, target })),
  measure: (context) =>
    collectorShares(
      context,
      PROFILED.map((one) => ({ ...one, profiles: PROFILES })),
      context.timeMs,
    ),
  decide: ({ own }) => decide(own),
});

/** A share is in the published range or it is not; an interval that reaches across one of its ends cannot tell. */
export function decide(profiled: readonly CollectorShares[]): Outcome {
  const figures = profiled.map(({ target, caseId, shares, why }): Figure => {
    const label = `${caseId} on ${target}: share of the profile's busy samples in the collector`;
    const value = withinBounds(estimate(meanInterval(shares)));
    const figure = { label, unit: "share", value } as const;
    if (value === null) {
      const [only] = shares;
      const note = why ?? "One profile has no interval. More time (--time) gives more.";
      return { ...figure, value: only === undefined ? null : exactly(only), verdict: "inconclusive", note };
    }
    const note = `From ${shares.length} fresh instances; the collector's helper threads are in no profile.`;
    if (value.low >= LEAST && value.high <= MOST) return { ...figure, verdict: "reproduced", note };
    if (value.high < LEAST || value.low > MOST) return { ...figure, verdict: "not reproduced", note };
    const across =
      "The interval reaches across an end of the published range. More time (--time) narrows it.";
    return { ...figure, verdict: "inconclusive", note: across };
  });
  return outcomeOf(figures);
}

/** A few profiles that scatter have an interval that reaches below nothing; a share cannot. */
function withinBounds(value: Estimate | null): Estimate | null {
  return value === null ? null : { ...value, low: Math.max(0, value.low), high: Math.min(1, value.high) };
}
