import type { Outcome } from "@evenbench/results";
import { meanInterval } from "@evenbench/stats";
import { defineExperiment, PRIVACY_PROXY } from "../src/define.ts";
import { figureOf, isNear, outcomeOf } from "../src/judge.ts";
import { type LoadAnswer, loadSides, meanAt, type StageValue, valuesAt } from "../src/load-sides.ts";

const CASE = "double-spend";
const HOLD_MS = 45;
/** As published: 5,000 requests per second × 45 ms. */
const NEEDED = 225;
const POOL = 20;
/** A rate that one process and one client can do, in the place of 5,000: its checks need rate × time connections. */
const PER_SECOND = 200;
const LARGE_POOL = 100;
/** Too small for the rate: 5 / 45 ms is 111 checks per second. */
const SMALL_POOL = 5;
const WITHIN = 0.1;
const TRIAL_MS = 15_000;

const nameOf = (pool: number) => `pool of ${pool}`;
const side = (pool: number) =>
  ({ name: nameOf(pool), target: "node", parameters: { holdMs: HOLD_MS, pool } }) as const;

interface PoolLoads {
  readonly burst: LoadAnswer;
  readonly rate: LoadAnswer;
}

export default defineExperiment<PoolLoads>({
  title: "A pool that is too small",
  claim:
    "5,000 requests per second that hold a connection for 45 ms each need 225 connections (Little's law); a pool of 20 leaves 205 waiting.",
  source: PRIVACY_PROXY,
  published: "205 of 225 wait",
  timeS: 150,
  sides: [side(POOL), side(LARGE_POOL), side(SMALL_POOL)],
  async measure(context) {
    // So many requests at a time take a long stage, as long as those of both pools together.
    const common = { caseId: CASE, timeMs: context.timeMs / 2, trialMs: TRIAL_MS };
    const burst = await loadSides(context, {
      ...common,
      sides: [side(POOL)],
      loads: [{ kind: "closed", connections: NEEDED }],
    });
    const rate = await loadSides(context, {
      ...common,
      sides: [side(LARGE_POOL), side(SMALL_POOL)],
      loads: [{ kind: "open", perSecond: PER_SECOND, arrivals: "poisson", connections: 128 }],
    });
    return { burst, rate };
  },
  decide: ({ own }) => decide(own),
});

function decide({ burst, rate }: PoolLoads): Outcome {
  const atOnce = `${NEEDED} checks at a time and a pool of ${POOL}`;
  const crowd = { side: nameOf(POOL), offered: NEEDED };
  const atRate = (pool: number, pick: StageValue) =>
    meanAt(rate, { side: nameOf(pool), offered: PER_SECOND }, pick);
  // The instance counts the others on arrival; with the one that arrives, all but those with a connection wait.
  const others = valuesAt(burst, crowd, ({ inFlightMean }) => inFlightMean);
  const waiting = meanInterval([...others.values()].map((count) => count + 1 - POOL));
  const exactRate = Math.round((POOL * 1000) / HOLD_MS);
  const figures = [
    figureOf(`${atOnce}: checks that wait for a connection`, "count", waiting, {
      rule: isNear(NEEDED - POOL, WITHIN),
    }),
    figureOf(
      `${PER_SECOND} checks per second and a pool of ${LARGE_POOL}: connections in use / rate × time of a check`,
      "ratio",
      atRate(LARGE_POOL, inUseByLaw),
      { rule: isNear(1, WITHIN) },
    ),
    figureOf(
      `${PER_SECOND} checks per second and a pool of ${SMALL_POOL}: checks per second that are answered`,
      "perSecond",
      atRate(SMALL_POOL, ({ perSecond }) => perSecond),
      { rule: isNear((SMALL_POOL * 1000) / HOLD_MS, WITHIN) },
    ),
    figureOf(
      `${atOnce}: checks per second`,
      "perSecond",
      meanAt(burst, crowd, ({ perSecond }) => perSecond),
      {
        note: `${POOL} connections held exactly ${HOLD_MS} ms would give ${exactRate}; timers and the check itself hold them longer.`,
      },
    ),
  ];
  const worker =
    "A Worker is no side: it may not lend a socket to another request, so it has no pool to run out of.";
  const notes = [worker, ...burst.notes, ...rate.notes].join(" ");
  return outcomeOf(figures, [...burst.tables, ...rate.tables], notes);
}

/** Little's law with the instance's own count: its others on arrival are what is in use. */
const inUseByLaw: StageValue = ({ inFlightMean, perSecond, serviceMeanMs }) => {
  if (inFlightMean === null || serviceMeanMs === null || perSecond === 0) return null;
  return inFlightMean / ((perSecond * serviceMeanMs) / 1000);
};
