import type { Figure } from "@evenbench/results";
import { meanInterval } from "@evenbench/stats";
import { type CollectorShares, collectorShares } from "../src/collector.ts";
import { defineExperiment, UNPACKING } from "../src/define.ts";
import { figureOf, isInside, outcomeOf } from "../src/judge.ts";

const LEAST = 0.1;
const MOST = 0.25;
/** Many short profiles say more than few long ones: fresh instances differ. */
const PROFILES = 6;
const PROFILED = [
  { target: "node", caseId: "react-ssr" },
  { target: "cloudflare", caseId: "react-ssr" },
  { target: "next-node", caseId: "next-page" },
  { target: "next-cloudflare", caseId: "next-page" },
];

export default defineExperiment<readonly CollectorShares[]>({
  title: "The collector's share",
  claim: "10 to 25 % of the time of a request went to garbage collection.",
  source: UNPACKING,
  published: "10–25 %",
  timeS: 240,
  targets: PROFILED.map(({ target }) => target),
  measure: (context) => collectorShares(context, PROFILED, PROFILES),
  decide: ({ own }) => outcomeOf(own.map(shareFigure)),
});

function shareFigure({ target, caseId, shares, why }: CollectorShares): Figure {
  const label = `${caseId} on ${target}: share of the profile's busy samples in the collector`;
  const interval = meanInterval(shares);
  if (interval === null) {
    const note = why ?? "One profile has no interval. More time (--time) gives more.";
    return { ...figureOf(label, "share", shares[0] ?? null, { note }), verdict: "inconclusive" };
  }
  const note = `From ${shares.length} fresh instances; the collector's helper threads are in no profile.`;
  // A few profiles that scatter have an interval that reaches below nothing; a share cannot.
  const value = { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) };
  return figureOf(label, "share", value, { rule: isInside(LEAST, MOST, note) });
}
