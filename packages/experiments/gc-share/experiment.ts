import type { Figure } from "@evenbench/results";
import { meanInterval } from "@evenbench/stats";
import { type CollectorShares, defineExperiment, UNPACKING } from "../src/define.ts";
import { figureOf, isInside, outcomeOf } from "../src/judge.ts";

const LEAST = 0.1;
const MOST = 0.25;
/** Many short profiles say more than few long ones: fresh instances differ. */
const PROFILES = 6;

export default defineExperiment({
  title: "The collector's share",
  claim: "10 to 25 % of the time of a request went to garbage collection.",
  source: UNPACKING,
  published: "10–25 %",
  timeS: 240,
  profiles: [
    { target: "node", caseId: "react-ssr", profiles: PROFILES },
    { target: "cloudflare", caseId: "react-ssr", profiles: PROFILES },
    { target: "next-node", caseId: "next-page", profiles: PROFILES },
    { target: "next-cloudflare", caseId: "next-page", profiles: PROFILES },
  ],
  decide: ({ profiles }) => outcomeOf(profiles.map(shareFigure)),
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
