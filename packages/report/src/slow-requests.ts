// Where slow requests say something else than the median, which is compared.
import { counted, formatMs, listed } from "@evenbench/page";
import { isDifference } from "@evenbench/stats";
import { shownTargets, spokenOf } from "./names.ts";
import type { SummarisedRun } from "./summarised.ts";

/** Ratio of two 95th percentiles from which on they say something else than medians that are the same. */
const MUCH_APART = 1.1;
/** Ratio of two 95th percentiles from which on they say the opposite of medians that differ. */
const LITTLE_APART = 1.02;

/** A target's slow requests beside its verdict, which is on its median. */
interface SlowRequests {
  readonly verdict: string | null;
  /** 95th percentile of the target's times, in milliseconds; null where it has too few requests. */
  readonly p95Ms: number | null;
  /** That of the baseline; null, too, where it has too few. */
  readonly baselineMs: number | null;
}

/**
 * Tells whether a target's 95th percentile says something else than its verdict: what is faster has a longer one than
 * the baseline, what is slower a shorter one, and what is the same one that is a tenth away. Percentiles have no
 * interval, so that this is no verdict.
 */
export function isOtherInSlowRequests({ verdict, p95Ms, baselineMs }: SlowRequests): boolean {
  if (p95Ms === null || baselineMs === null) {
    return false;
  }
  if (isDifference(verdict)) {
    const opposite = verdict === "faster" ? p95Ms / baselineMs : baselineMs / p95Ms;
    return opposite > LITTLE_APART;
  }
  return verdict === "same" && Math.max(p95Ms / baselineMs, baselineMs / p95Ms) > MUCH_APART;
}

/**
 * Says below a table of medians where slow requests say something else: "Medians are compared. Slow requests look
 * otherwise in 1 case: 95 of 100 take at most 71.9 ms on Cloudflare's workerd and 66.5 ms on Node.js (SvelteKit page).";
 * null where they do nowhere.
 */
export function slowRequestsNote({ run, summary }: SummarisedRun): string | null {
  const targets = shownTargets(run.plan.targets);
  const rows = summary.rows.filter(({ headline }) => headline);
  const parts = run.plan.cases.flatMap(({ id, title }) => {
    const ofCase = rows.filter(({ caseId }) => caseId === id);
    const baseline = ofCase.find((row) => row.target === row.baseline);
    const baselineMs = baseline?.p95Ms ?? null;
    const others = ofCase.filter(({ verdict, p95Ms }) =>
      isOtherInSlowRequests({ verdict, p95Ms, baselineMs }),
    );
    if (baseline === undefined || others.length === 0) {
      return [];
    }
    const times = [...others, baseline].map(
      ({ target, p95Ms }) => `${formatMs(p95Ms)} on ${spokenOf(targets, target)}`,
    );
    return `${listed(times)} (${title})`;
  });
  return parts.length === 0
    ? null
    : `Medians are compared. Slow requests look otherwise in ${counted(parts.length, "case")}: 95 of 100 take at most ${parts.join("; ")}.`;
}
