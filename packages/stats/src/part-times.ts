import type { Timeline } from "@evenbench/results";
import { ratioOf } from "./analyse-case.ts";
import type { RatioInterval, Verdict } from "./analysis.ts";
import { coldTargets, instanceCells } from "./cells.ts";
import { fitTwoWay, NO_PRIOR } from "./model.ts";
import { mean } from "./quantile.ts";
import type { Series } from "./series.ts";
import { judge } from "./verdict.ts";
import type { WarmInstances } from "./warm-instances.ts";

/** What somebody sees of a page that streams: its beginning, half of it, all of it. */
export const PARTS = ["first", "half", "last"] as const;
export type Part = (typeof PARTS)[number];

/** How long a target takes until a part of a streamed body is there. */
export interface PartTime {
  readonly target: string;
  readonly part: Part;
  /** Geometric mean of the trials' medians, in milliseconds. */
  readonly ms: number;
  /**
   * To the baseline, over trials, with Student's t; null for the baseline, for its A/A copy, and with fewer
   * than two trials.
   */
  readonly ratio: RatioInterval | null;
  /** null where there is no ratio. */
  readonly verdict: Verdict | null;
}

export interface PartQuestion {
  readonly targets: readonly string[];
  readonly baseline: string;
  /** The baseline's A/A copy; null where there is none. */
  readonly copy: string | null;
  /** Which instances were warm; without it, all count as warm. */
  readonly warm?: WarmInstances | undefined;
}

/**
 * The times until the parts of a streamed body are there, each judged as any time is: against the baseline,
 * its A/A copy and the noise between these two.
 *
 * @param timelines of one case. "half" is the part with which half of the bytes are there.
 * @returns by part, then by target; nothing where no body came in parts.
 */
export function partTimes(timelines: readonly Timeline[], question: PartQuestion): readonly PartTime[] {
  const { targets, baseline, copy, warm } = question;
  const bases = [baseline, ...(copy === null ? [] : [copy])];
  return PARTS.flatMap((part) => {
    const series = new Map(targets.map((target) => [target, seriesOf(timelines, target, part)]));
    const all = instanceCells(series, targets, warm, 1);
    const cold = coldTargets(all);
    const cells = all.filter((cell) => cell.cold === null || cold.has(cell.target));
    const fit = fitTwoWay(cells);
    const warmBases = bases.filter((name) => !cold.has(name) && cells.some(({ target }) => target === name));
    return targets.flatMap((target) => {
      const own = cells.filter((cell) => cell.target === target);
      if (own.length === 0) return [];
      const ms = Math.exp(mean(own.map(({ logMs }) => logMs)));
      if (bases.includes(target)) return [{ target, part, ms, ratio: null, verdict: null }];
      const isCold = cold.has(target) || warmBases.length === 0;
      const ratio = ratioOf(fit, NO_PRIOR, cells, [target], isCold ? [baseline] : warmBases);
      const verdict = ratio === null ? null : isCold ? "not warm" : judge(ratio).verdict;
      return [{ target, part, ms, ratio, verdict }];
    });
  });
}

function seriesOf(timelines: readonly Timeline[], target: string, part: Part): Series {
  const own = timelines.filter((one) => one.target === target && timeOf(one, part) > 0);
  const trials = [...Map.groupBy(own, ({ trial }) => trial)].map(([trial, rounds]) => {
    const index = Float64Array.from(rounds, ({ round }) => round);
    return [trial, { index, ms: Float64Array.from(rounds, (one) => timeOf(one, part)) }] as const;
  });
  return { trials: new Map(trials), exchanges: own.length, errors: 0 };
}

function timeOf({ arrivals }: Timeline, part: Part): number {
  const end = arrivals.at(-1) ?? [0, 0];
  const found = {
    first: arrivals[0],
    half: arrivals.find(([, bytes]) => bytes >= end[1] / 2),
    last: end,
  }[part];
  return found?.[0] ?? 0;
}
