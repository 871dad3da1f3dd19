// Where slow requests say something else than the median, which is compared.
import { counted, formatMs, listed } from "@evenbench/page";
import { isDifference } from "@evenbench/stats";
import { ofTarget } from "./case-report.ts";
import type { ReportData } from "./data.ts";
import { type ReportTarget, shownTargets, spokenOf } from "./names.ts";
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
  /** 95th percentile of the baseline's times, in milliseconds; null where it has too few requests. */
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

/** The slow requests of one case. */
interface SlowCase {
  /** Title of the case. */
  readonly title: string;
  readonly baseline: string;
  /** All targets of the case, the baseline too. */
  readonly rows: readonly (Pick<SlowRequests, "verdict" | "p95Ms"> & { readonly target: string })[];
}

/**
 * Says below a table of medians where slow requests say something else: "Medians are compared. Slow requests look
 * otherwise in 1 case: 95 of 100 take at most 71.9 ms on Cloudflare's workerd and 66.5 ms on Node.js (SvelteKit page).";
 * null where they do nowhere.
 */
export function slowRequestsNote({ run, summary }: SummarisedRun): string | null {
  const rows = summary.rows.filter(({ headline }) => headline);
  const cases = run.plan.cases.flatMap(({ id, title }): readonly SlowCase[] => {
    const ofCase = rows.filter(({ caseId }) => caseId === id);
    const baseline = ofCase.find((row) => row.target === row.baseline);
    return baseline === undefined ? [] : [{ title, baseline: baseline.target, rows: ofCase }];
  });
  return noteOf(shownTargets(run.plan.targets), cases);
}

/** Says the same of a report: see `slowRequestsNote`. */
export function slowRequestsNoteOf({ targets, cases }: Pick<ReportData, "targets" | "cases">): string | null {
  const slow = cases.map(({ manifest, baseline, headline }) => {
    const rows = (headline?.summaries ?? []).map(({ target, p95Ms }) => {
      return { target, p95Ms, verdict: ofTarget(headline?.comparisons, target)?.verdict ?? null };
    });
    return { title: manifest.title, baseline, rows };
  });
  return noteOf(targets, slow);
}

/** Writes the note on slow requests of some cases; null where they say nothing else in any. */
function noteOf(
  targets: readonly Pick<ReportTarget, "name" | "spoken">[],
  cases: readonly SlowCase[],
): string | null {
  const parts = cases.flatMap(({ title, baseline, rows }) => {
    const own = ofTarget(rows, baseline);
    const baselineMs = own?.p95Ms ?? null;
    const others = rows.filter(({ verdict, p95Ms }) => isOtherInSlowRequests({ verdict, p95Ms, baselineMs }));
    if (own === null || others.length === 0) {
      return [];
    }
    const times = [...others, own].map(
      ({ target, p95Ms }) => `${formatMs(p95Ms)} on ${spokenOf(targets, target)}`,
    );
    return `${listed(times)} (${title})`;
  });
  return parts.length === 0
    ? null
    : `Medians are compared. Slow requests look otherwise in ${counted(parts.length, "case")}: 95 of 100 take at most ${parts.join("; ")}.`;
}
