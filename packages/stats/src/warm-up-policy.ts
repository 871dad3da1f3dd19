/**
 * The one policy of warm-up: how an instance's need is searched for, how much warm-up an instance gets, and
 * when a measured instance counts as warm. Each constant has its evidence beside it.
 *
 * "The long series" are the first 20 to 300 exchanges of 108 fresh instances: nine cases on three platforms,
 * with one and with two cores, two starts of each. Ten of them are in packages/stats/test-data. "Made
 * instances" are 300 for each number, measured beside two others; their rounds scatter by 5 %.
 * docs/coverage.md is measured with these constants, too.
 */
export const WARM_UP = {
  /** Bounds of a search for what an instance needs, by CPU time, or the time to the last byte without it. */
  search: {
    /**
     * Longest cost of a search, in milliseconds. Of 103 of the long series that come to their level, the first
     * second of CPU time finds the need of 78, the first two of 89, and the first five of 95 (or all of the
     * series, where that is shorter).
     */
    maxCostMs: 5000,
    /**
     * Longest time of a search, in milliseconds: a target that waits for two thirds of its time is still
     * searched for its longest cost.
     */
    maxTimeMs: 15_000,
    /**
     * Largest number of exchanges: they fill the longest time at 0.3 ms each, about the fastest that a local
     * server answers.
     */
    maxExchanges: 50_000,
    /**
     * Smallest number of exchanges with which a search may count as proven, which takes as many exchanges
     * after the need as before it. The largest need in the long series is 258. Of 43 with 300 exchanges, the
     * first 100 find the need of 24 only.
     */
    minProvenExchanges: 600,
    /**
     * Shortest time after which a search may count as proven, in milliseconds: a fast server may keep a slow
     * plateau for a second (the test with 1500 slow exchanges).
     */
    minProvenTimeMs: 2000,
    /**
     * Smallest number of exchanges that say anything. Of 91 of the long series, the first 5 take 74 for warm
     * before they are halfway there, the first 10 take 68, and the first 20 take 43; 40 are hardly better.
     */
    minExchanges: 20,
  },
  /**
   * Smallest need that a search gives: this many milliseconds of warm exchanges, or this many exchanges,
   * whichever is less. A search does not see a compiler's last steps (docs/decisions/0055). With it, what one
   * start of the long series needs is enough for the other start in 95 of 100 pairs; without it in 70. A
   * margin on top, of a tenth to a half, leaves it at 95.
   */
  minNeed: { ms: 2000, exchanges: 300 },
  /**
   * Growth where nobody knows how much more is needed: of a series until its search is looked at again, and
   * of a need whose instances were not warm. By construction neither overshoots by more than a half, in a
   * number of steps that grows with the logarithm.
   */
  growthFactor: 1.5,
  /**
   * An instance is sent this many times the requests that it needs at most. It is an end and no estimate:
   * where another process answers each time, no series ever comes to its need.
   */
  maxRequestsPerNeed: 3,
  /**
   * Factors that estimate the time of a warm-up beforehand. They move plans and what is said to be left, and
   * no result.
   */
  estimate: {
    /**
     * Time of a warm-up's exchange relative to a warm one. In the long series the median is 1.19, and 8 of 10
     * lie from 1.02 to 1.48.
     */
    coldFactor: 1.2,
    /**
     * Time of an exchange while two targets are warmed up at a time, relative to one alone: 0.56 to 0.63 in
     * three cases (docs/decisions/0055).
     */
    pairedFactor: 0.6,
    /** Time of a warm exchange relative to one of the first. In 88 of the long series the median is 0.44. */
    warmShare: 0.4,
    /**
     * The same where one of the first takes longer than `longExchangeMs`, and so is warm before it ends: 0.77
     * in 20 of the long series, and 0.94 in those of `math`.
     */
    warmShareOfLong: 0.9,
    /**
     * Milliseconds. Exchanges of `math` take longer, and those of the cases with a share of about 0.4 do not.
     */
    longExchangeMs: 200,
  },
  /** Judging an instance by its measured rounds. */
  judgement: {
    /**
     * An instance with a smaller share of CPU time mostly waits: code that becomes 10 % faster then moves its
     * time by less than 1 %, a fifth of `SAME_WITHIN`.
     */
    mostlyWaitingShare: 0.1,
    /**
     * Where nobody knows what is needed, half of the measured rounds have to be this share of the warm-up: a step
     * would have been seen in them.
     */
    seenShare: 0.25,
  },
  /** Finding levels, steps and drifts in a series of exchanges or rounds. */
  level: {
    /**
     * Levels that differ by no more than this fraction are one level. With 0.1 a drift of 20 % is found in 99
     * of 100 made instances of 50 rounds, with 0.2 in 9; with 0.05, 2 of 100 still ones of 5 rounds are
     * called not warm.
     */
    tolerance: 0.1,
    /**
     * Smallest number of values that are a level. With 8, a step of 25 % in 20 rounds is found in 90 of 100
     * made instances instead of 99; with 3, the long series have the same needs, and drifting noise makes 42
     * instead of 38 false steps.
     */
    minLevelLength: 5,
    /**
     * A level is the lasting one if it is as fast as this share of all that comes after it, so that slow
     * spells of the machine are no warm-up. With 0, the mean need of the long series is 63 exchanges instead
     * of 43, and 10 fewer come to their level; with 0.5, one of the eight needs that were read off by eye is
     * missed.
     */
    fastShare: 0.25,
    /**
     * Number of values in a block whose mean hides a collection in every second or third: it is divisible by
     * both. With 3, a step of 20 % beneath such collections is found in 16 of 100 made instances of 60 rounds
     * instead of in all; with 12, one of eight needs read off by eye is missed.
     */
    blockLength: 6,
    /**
     * A series that came to its last level after this share of its length may still be falling. With 0.9 all
     * 108 of the long series count as done, also the one that still falls at its end; with 0.5 six fewer do.
     */
    latestShare: 0.75,
    /**
     * Share of pairs of an early and a late round that have to differ in the direction of a drift. With 0.7,
     * 7 instead of 2 of 100 still made instances that scatter by 15 % are called not warm; with 0.95, 86
     * instead of 95 drifts of 20 % in 20 rounds are found.
     */
    roundsDriftShare: 0.85,
    /**
     * The same in a series of warm-up, where what is taken for a drift only costs time. With 0.85 as above,
     * 19 instead of 16 of the long series are slower by a tenth after what they are said to need.
     */
    seriesDriftShare: 0.7,
    /**
     * Rounds beyond this number are taken by medians of neighbours. Without it, 62 instead of 38 of 100 made
     * instances of 400 rounds are called not warm whose noise of 15 % drifts (correlation of neighbours 0.9).
     */
    maxRoundValues: 120,
    /**
     * Smallest number of values in a third that says anything of a drift. With 2, 9 instead of 1 of 100 still
     * made instances of 6 rounds that scatter by 15 % are called not warm; with 8, 78 instead of 95 drifts in
     * 20 rounds are found.
     */
    minThirdLength: 4,
  },
} as const;

/** Levels that differ by no more than this fraction are one level. */
export const LEVEL_TOLERANCE: number = WARM_UP.level.tolerance;

/** Longest run of slow exchanges that `warmUpNeed` cannot see: one that is shorter than a level can be. */
export const UNDETECTABLE_RUN: number = WARM_UP.level.minLevelLength - 1;
