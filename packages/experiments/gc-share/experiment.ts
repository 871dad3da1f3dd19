import { join } from "node:path";
import { reasonOf } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import { profileTarget } from "@evenbench/profile";
import type { Figure } from "@evenbench/results";
import { WarmUpNeeds } from "@evenbench/runner";
import { meanInterval } from "@evenbench/stats";
import { defineExperiment, type MeasureContext, UNPACKING } from "../src/define.ts";
import { figureOf, isInside, outcomeOf } from "../src/judge.ts";

const LOWEST_SHARE = 0.1;
const HIGHEST_SHARE = 0.25;
/** Number of profiles of each target. Many short ones say more than few long ones: fresh instances differ. */
const PROFILES = 6;
const PROFILED_TARGETS = [
  { target: "node", caseId: "react-ssr" },
  { target: "cloudflare", caseId: "react-ssr" },
  { target: "next-node", caseId: "next-page-large" },
  { target: "next-cloudflare", caseId: "next-page-large" },
];

/** Time that a server's start takes of a profile's, in milliseconds. */
const START_MS = 1000;
/** Time for which samples are taken at least, in milliseconds. */
const MIN_SAMPLING_MS = 500;
/** Fraction of the time that a target's warm-up may take: the first one finds out what the others need. */
const WARM_UP_SHARE = 1 / 2;

/** The collector's share of each profile's busy samples, from 0 to 1, and why some are missing; null: none are. */
type CollectorShares = (typeof PROFILED_TARGETS)[number] & {
  readonly shares: readonly number[];
  readonly why: string | null;
};

/** The claim has four parts, a rendered page and its components alone on either runtime: the claim names no page. */
export default defineExperiment<readonly CollectorShares[]>({
  title: "The collector's share",
  claim: "10 to 25 % of the time of a request went to garbage collection.",
  source: UNPACKING,
  published: "10–25 %",
  timeS: 240,
  targets: PROFILED_TARGETS.map(({ target }) => target),
  measure: collectorShares,
  decide: ({ measured }) => outcomeOf(measured.map(shareFigure)),
});

/** Measures the collector's share of the program's thread: its helper threads are in no profile. */
async function collectorShares(context: MeasureContext): Promise<readonly CollectorShares[]> {
  const { folder, signal, timeMs, identities } = context;
  const place = { logFolder: join(folder, "logs"), cores: null, workers: 1 };
  const instanceSettings = { ...place, exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, signal };
  const session = { signal, recorder: { event() {} }, instanceSettings, lost: new Map() };
  const results: CollectorShares[] = [];
  for (const { target: name, caseId } of PROFILED_TARGETS) {
    const endsAt = performance.now() + timeMs / PROFILED_TARGETS.length;
    const shares: number[] = [];
    const needs = new WarmUpNeeds();
    let why: string | null = null;
    try {
      const target = context.targetOf({ name, target: name });
      const manifest = (await target.app.cases()).find(({ id }) => id === caseId);
      if (manifest === undefined) {
        throw new Error(`${name} serves no case "${caseId}".`);
      }
      for (let left = PROFILES; left > 0 && !signal.aborted; left--) {
        context.progress(`profile of ${caseId} on ${name}`);
        const leftMs = endsAt - performance.now();
        const { identity, collectorShare } = await profileTarget(session, target, manifest, {
          timeMs: Math.max(MIN_SAMPLING_MS, (leftMs / left - START_MS) / 2),
          mostWarmUpMs: Math.max(MIN_SAMPLING_MS, leftMs * WARM_UP_SHARE),
          needs,
        });
        identities.push(identity);
        shares.push(collectorShare);
      }
    } catch (error) {
      const reason = reasonOf(error);
      context.tell(reason);
      why = reason.message;
    }
    results.push({ target: name, caseId, shares, why });
  }
  return results;
}

function shareFigure({ target, caseId, shares, why }: CollectorShares): Figure {
  const label = `${caseId} on ${target}: share of the profile's busy samples in the collector`;
  const interval = meanInterval(shares);
  if (interval === null) {
    const note = why ?? "One profile has no interval. More time (--time) gives more.";
    return { ...figureOf(label, "share", shares[0] ?? null, { note }), verdict: "unclear" };
  }
  const note = `From ${shares.length} fresh instances; the collector's helper threads are in no profile.`;
  // A few profiles that scatter have an interval that reaches below nothing; a share cannot.
  const value = { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) };
  return figureOf(label, "share", value, { rule: isInside(LOWEST_SHARE, HIGHEST_SHARE, note) });
}
