import type { Sample } from "@evenbench/results";
import { testSample } from "@evenbench/stats/testing";
import { vi } from "vitest";
import { SharedTime, TimeBudget, type TrialBudget } from "../src/time-budget.ts";
import { trialMs } from "../src/trial-time.ts";
import { CaseSchedule, type ScheduledCase } from "../src/turns.ts";
import type { CaseCost } from "../src/warm-up-needs.ts";

/** Costs of a case that needs no search. */
export const MADE_COST: CaseCost = { startMs: 3000, warmUpMs: 2000, roundMs: 40, searchMs: 0 };

/** A trial that was played, with the time that it was allowed to take. */
export interface PlayedTrial extends TrialBudget {
  readonly allowedMs: number;
}

/** A case whose trials take what is made up for them. Times in milliseconds. */
export interface MadeCase {
  readonly id?: string;
  /** Gets the id and the number of each trial that is played. */
  readonly turns?: string[];
  /** Gets each trial that is played. */
  readonly played?: PlayedTrial[];
  /** Default: endless. */
  readonly shared?: SharedTime;
  /** Default: nobody asked for a time. */
  readonly limitMs?: number | null;
  readonly minTrials?: number;
  readonly maxTrials?: number;
  /** Expected cost of the case before its first trial. */
  readonly cost?: CaseCost;
  /** Time that its warm-up turns out to take. Default: as expected. */
  readonly warmUpMs?: number;
  /** Time that its search turns out to take. Default: as expected. */
  readonly searchMs?: number;
  readonly isWarm?: (trial: number) => boolean;
  /** Times of target b in each trial; the baseline takes about 10. Default: no samples. */
  readonly times?: readonly number[];
  /** CPU times of target b in each trial; those of the baseline are about 10. Default: not known. */
  readonly cpuTimes?: readonly number[];
  /** Time that each trial takes beyond its limit, as slow starts do. */
  readonly overMs?: number;
  readonly place?: "local" | "url";
}

/** Makes the schedule of a made case. It needs fake timers of `performance`: a trial moves them on by what it takes. */
export function madeSchedule(made: MadeCase = {}): CaseSchedule {
  const { cost = MADE_COST, limitMs = null, minTrials = 3, maxTrials = 10 } = made;
  const { id = "case", turns = [], played = [], overMs = 0, isWarm = () => true } = made;
  const { warmUpMs = cost.warmUpMs, searchMs = cost.searchMs } = made;
  const samples: Sample[] = [];
  let warmTrials = 0;
  let isSearched = false;
  const budget = new TimeBudget({
    limitMs,
    shared: made.shared ?? new SharedTime(Number.POSITIVE_INFINITY),
    trials: { minimum: minTrials, maximum: maxTrials },
    plannedTrialMs: trialMs(cost),
    plannedSearchMs: cost.searchMs,
    hasFixedRounds: false,
  });
  return new CaseSchedule(
    scheduledCase(made, samples, {
      get warmTrials() {
        return warmTrials;
      },
      cost: () => (isSearched ? { ...cost, warmUpMs, searchMs: 0 } : cost),
    }),
    budget,
    null,
    async (times) => {
      const { trial, pace, minMeasureMs } = times;
      const restMs = Math.max(minMeasureMs, pace * 2000);
      const allowedMs = times.atMostUntil - performance.now();
      played.push({ ...times, allowedMs });
      turns.push(`${id}${trial}`);
      const warmedMs = warmUpMs + (trial === 0 ? searchMs : 0);
      const ms = Math.min(cost.startMs + warmedMs + restMs, allowedMs) + overMs;
      vi.advanceTimersByTime(ms);
      isSearched = true;
      warmTrials += isWarm(trial) ? 1 : 0;
      samples.push(...madeSamples(made, trial));
      return { startMs: cost.startMs, warmUpMs: warmedMs, restMs, overMs: 0 };
    },
  );
}

const NAMES = ["a", "a~copy", "b"];

function scheduledCase(
  { id = "case", place = "local" }: MadeCase,
  samples: readonly Sample[],
  changing: Pick<ScheduledCase, "warmTrials" | "cost">,
): ScheduledCase {
  const targets = NAMES.map((name) => ({ name, copyOf: name === "a~copy" ? "a" : null }));
  return {
    mayGoOn: true,
    get warmTrials() {
      return changing.warmTrials;
    },
    cost: changing.cost,
    measured: () => ({
      manifest: { id },
      plan: {
        targets: targets.map((target) => ({ ...target, app: "made", platform: null, place, url: null })),
        roundsPerTrial: null,
      },
      baseline: "a",
      targets,
      samples,
      warmUps: [],
      usage: [],
    }),
    restrictTo() {},
    summarise() {},
  };
}

function madeSamples({ id = "case", times = [], cpuTimes = [] }: MadeCase, trial: number): Sample[] {
  const ms = times[trial % times.length];
  if (ms === undefined) {
    return [];
  }
  const ofBaseline = [10, 10.1, 9.9][trial % 3] as number;
  const values = [ofBaseline, ofBaseline + 0.05, ms];
  const cpuMs = cpuTimes[trial % cpuTimes.length] ?? null;
  const ofCpu = [ofBaseline, ofBaseline + 0.05, cpuMs];
  return NAMES.flatMap((target, index) =>
    [0, 1, 2].map((roundIndex) =>
      testSample({
        caseId: id,
        target,
        trial,
        roundIndex,
        lastByteMs: values[index] as number,
        cpuMs: cpuMs === null ? null : (ofCpu[index] ?? null),
      }),
    ),
  );
}
