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
  /** Which instances were warm; those that were not are left out, and so is a vantage where most were not. */
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
      judge([own, ...(toCopy === null ? [] : [toCopy])], question.precision, {
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

function judge(warmth: readonly WarmPairs[], precision: number, evidence: EvidenceAcross): JudgedDifference {
  const { difference } = evidence;
  const leftOut = [...new Set(warmth.flatMap((pairs) => pairs.leftOut))];
  const named = leftOut.length === 0 ? "" : `Not warm at ${leftOut.join(", at ")}.`;
  if (warmth.some(({ isCold }) => isCold)) return { difference, verdict: "not warm", reason: named };
  const { verdict, reason } = judgeAcrossVantages(evidence, precision);
  return { difference, verdict, reason: named === "" ? reason : `${reason} ${named}` };
}

interface WarmPairs extends PairedTrials {
  /** Vantages of which fewer than half of the trials were warm, each with why. */
  readonly leftOut: readonly string[];
  /** Whether these are half of all vantages or more: then all trials are here, warm or not. */
  readonly isCold: boolean;
}

/** The trials in which both sides were warm, of the vantages where these are at least half of all. */
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
  const vantages = Map.groupBy(all.differences, ({ vantage }) => vantage);
  const cold = new Map(
    [...vantages].flatMap(([vantage, trials]) => {
      const reasons = trials.flatMap(({ trial }) => coldest(trial) ?? []);
      const why = `${vantage} (${reasons.length} of ${trials.length} trials: ${reasons[0]})`;
      return reasons.length > trials.length / 2 ? [[vantage, why] as const] : [];
    }),
  );
  const leftOut = [...cold.values()];
  if (cold.size > 0 && cold.size >= vantages.size / 2) return { ...all, leftOut, isCold: true };
  const good = pairs((trial) => coldest(trial) === undefined);
  const kept = (list: PairedTrials["differences"]) => list.filter(({ vantage }) => !cold.has(vantage));
  return { differences: kept(good.differences), compute: kept(good.compute), leftOut, isCold: false };
}
