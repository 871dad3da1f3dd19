import type { Sample } from "@evenbench/results";
import type { Verdict } from "../analysis.ts";
import { mean } from "../quantile.ts";
import { seriesByTarget } from "../series.ts";
import type { WarmInstances } from "../warm-instances.ts";
import { type EvidenceAcross, judgeAcrossVantages } from "./judge.ts";
import { type DifferenceAcross, differenceAcross } from "./pool.ts";
import { type VantageRow, vantageRows } from "./rows.ts";
import { type PairedTrials, pairedTrials, trialPlaces } from "./trials.ts";

/** Times that clients far away can measure. */
type VantageMetric = "firstByteMs" | "lastByteMs";

export interface VantageQuestion {
  readonly caseId: string;
  readonly metric: VantageMetric;
  /** The target that is taken off the others. */
  readonly baseline: string;
  /** The baseline's A/A copy, for the control; null where there is none. */
  readonly copy: string | null;
  /** All targets to speak of, baseline and A/A copy among them. */
  readonly targets: readonly string[];
  /** The precision asked for, as a fraction of the baseline's time. */
  readonly precision: number;
  /** Which instances were warm; those that were not are left out, unless they are more than half of the trials. */
  readonly warm: WarmInstances;
}

/** A difference of two targets over the vantages, and what it allows to say. */
export interface JudgedDifference {
  readonly difference: DifferenceAcross;
  readonly verdict: Verdict;
  /** One sentence or two that say why. */
  readonly reason: string;
}

/** One target against the baseline, seen from all vantages. */
export interface VantageComparison {
  readonly target: string;
  readonly baseline: string;
  /** Of the metric in question. */
  readonly time: JudgedDifference;
  /**
   * Of the time to the last byte, each side without its own transfer time from that vantage; null where that
   * was not measured.
   */
  readonly compute: JudgedDifference | null;
}

/** What several vantages saw of one case. */
export interface VantageAnalysis {
  readonly rows: readonly VantageRow[];
  readonly comparisons: readonly VantageComparison[];
  /** The baseline's A/A copy against the baseline; null where there is none. */
  readonly control: VantageComparison | null;
}

/**
 * Analyses one case that several vantages measured: each vantage by itself, then what they say together. A
 * vantage is the unit, since all its trials share its routes; nothing here is a ratio, since a raw ratio is
 * as much that of the routes as that of the targets.
 *
 * @param samples of one case, all phases.
 */
export function analyseVantages(samples: readonly Sample[], question: VantageQuestion): VantageAnalysis {
  const { baseline, copy, targets, caseId, metric } = question;
  const places = trialPlaces(samples);
  const series = seriesByTarget(samples, caseId, metric);
  const lastBytes = metric === "lastByteMs" ? series : seriesByTarget(samples, caseId, "lastByteMs");
  const rows = vantageRows(samples, targets, series, lastBytes, places);
  const pair = (target: string, by: string) => {
    const where = [places.get(target) ?? new Map(), places.get(by) ?? new Map()] as const;
    const paired = (of: typeof series, isWarm: (trial: number) => boolean) =>
      pairedTrials([of.get(target), of.get(by)], where, isWarm);
    return warmPairs([target, by], question.warm, (isWarm) => ({
      differences: paired(series, isWarm).differences,
      compute: paired(lastBytes, isWarm).compute,
    }));
  };
  const control = copy === null ? null : pair(copy, baseline);
  const timesOf = (name: string, of: (row: VantageRow) => number | null) =>
    mean(rows.flatMap((row) => (row.target === name ? (of(row) ?? []) : [])));
  const compare = (target: string): VantageComparison => {
    const own = pair(target, baseline);
    const toCopy = copy === null || copy === target ? null : pair(target, copy);
    const judged = (of: (paired: PairedTrials) => DifferenceAcross, baselineMs: number) =>
      judge(own.cold ?? toCopy?.cold ?? null, question.precision, {
        difference: of(own),
        toCopy: toCopy && of(toCopy),
        control: target === copy ? null : control && of(control),
        baselineMs,
      });
    return {
      target,
      baseline,
      time: judged(
        (paired) => differenceAcross(paired.differences),
        timesOf(baseline, ({ medianMs }) => medianMs),
      ),
      compute:
        own.compute.length === 0
          ? null
          : judged(
              (paired) => differenceAcross(paired.compute),
              Math.max(
                0,
                timesOf(baseline, ({ computeMs }) => computeMs),
              ),
            ),
    };
  };
  const others = targets.filter((target) => target !== baseline && target !== copy);
  return { rows, comparisons: others.map(compare), control: copy === null ? null : compare(copy) };
}

function judge(cold: string | null, precision: number, evidence: EvidenceAcross): JudgedDifference {
  const { difference } = evidence;
  if (cold !== null) return { difference, verdict: "not warm", reason: `Not warm in ${cold}.` };
  return { difference, ...judgeAcrossVantages(evidence, precision) };
}

interface WarmPairs extends PairedTrials {
  /** Why they are all trials, warm or not: fewer than half were warm. null where they are those that were. */
  readonly cold: string | null;
}

/** The trials in which both sides were warm, where these are at least half of all. */
function warmPairs(
  names: readonly string[],
  warm: WarmInstances,
  pairs: (isWarm: (trial: number) => boolean) => PairedTrials,
): WarmPairs {
  const coldest = (trial: number) =>
    names.flatMap((name) => {
      const seen = warm.get(name)?.get(trial);
      return seen === undefined || seen.warm ? [] : [`${name} ${seen.reason}`];
    })[0];
  const all = pairs(() => true);
  const good = pairs((trial) => coldest(trial) === undefined);
  const [many, warmOnes] = [all.differences.length, good.differences.length];
  if (warmOnes >= many / 2) return { ...good, cold: null };
  const why = all.differences.map(({ trial }) => coldest(trial)).find((reason) => reason !== undefined);
  return { ...all, cold: `${many - warmOnes} of ${many} trials: ${why}` };
}
