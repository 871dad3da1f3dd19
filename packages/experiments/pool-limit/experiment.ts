import { defineExperiment, PRIVACY_PROXY, type StageValue } from "../src/define.ts";
import { isNear } from "../src/judge.ts";

const CASE = "double-spend";
/** Milliseconds for which a check holds its connection, as published. */
const HOLD_MS = 45;
/** Number of connections that are needed, as published: 5,000 requests per second × 45 ms. */
const NEEDED_CONNECTIONS = 225;
/** Size of the pool, as published. */
const PUBLISHED_POOL = 20;
/** A rate that one process and one client can do, in the place of 5,000: its checks need rate × time connections. */
const RATE_PER_SECOND = 200;
/** Size of a pool that is large enough for the rate. */
const LARGE_POOL = 100;
/** Size of a pool that is too small for the rate: 5 / 45 ms is 111 checks per second. */
const SMALL_POOL = 5;
/** Fraction of the expected value by which a measured one may differ from it. */
const TOLERANCE = 0.1;
const TRIAL_MS = 15_000;

const nameOf = (pool: number) => `pool of ${pool}`;
const sideOf = (pool: number) =>
  ({ name: nameOf(pool), target: "node", parameters: { holdMs: HOLD_MS, pool } }) as const;
const CHECKS_AND_POOL = `${NEEDED_CONNECTIONS} checks at a time and a pool of ${PUBLISHED_POOL}`;
/** The stage in which as many checks come at a time as connections are needed. */
const BURST = { load: "burst", at: { side: nameOf(PUBLISHED_POOL), offered: NEEDED_CONNECTIONS } };
const atRate = (pool: number) => ({ load: "rate", at: { side: nameOf(pool), offered: RATE_PER_SECOND } });
const answersPerSecond: StageValue = ({ perSecond }) => perSecond;

/** Counts the checks that wait: those that the instance finds on arrival, with its own, less the pool's. */
const waitingChecks: StageValue = ({ inFlightMean }) =>
  inFlightMean === null ? null : inFlightMean + 1 - PUBLISHED_POOL;

/** Divides the connections in use, which are the others that a check finds on arrival, by what Little's law says. */
const inUseByLaw: StageValue = ({ inFlightMean, perSecond, serviceMeanMs }) => {
  if (inFlightMean === null || serviceMeanMs === null || perSecond === 0) {
    return null;
  }
  return inFlightMean / ((perSecond * serviceMeanMs) / 1000);
};

/** The claim has two parts: how many wait, and how many connections are needed by Little's law. */
export default defineExperiment({
  title: "A pool that is too small",
  claim:
    "5,000 requests per second that hold a connection for 45 ms each need 225 connections (Little's law); a pool of 20 leaves 205 waiting.",
  source: PRIVACY_PROXY,
  published: "205 of 225 wait",
  timeS: 150,
  loads: [
    // So many requests at a time take a long stage, as long as those of both pools together.
    {
      id: "burst",
      caseId: CASE,
      trialMs: TRIAL_MS,
      sides: [sideOf(PUBLISHED_POOL)],
      loads: [{ kind: "closed", connections: NEEDED_CONNECTIONS }],
    },
    {
      id: "rate",
      caseId: CASE,
      trialMs: TRIAL_MS,
      sides: [sideOf(LARGE_POOL), sideOf(SMALL_POOL)],
      loads: [{ kind: "open", perSecond: RATE_PER_SECOND, arrivals: "poisson", connections: 128 }],
    },
  ],
  figures: [
    {
      ...BURST,
      unit: "count",
      value: waitingChecks,
      rule: isNear(NEEDED_CONNECTIONS - PUBLISHED_POOL, TOLERANCE),
      label: `${CHECKS_AND_POOL}: checks that wait for a connection`,
    },
    {
      ...atRate(LARGE_POOL),
      value: inUseByLaw,
      rule: isNear(1, TOLERANCE),
      label: `${RATE_PER_SECOND} checks per second and a pool of ${LARGE_POOL}: connections in use / rate × time of a check`,
    },
    {
      ...atRate(SMALL_POOL),
      unit: "perSecond",
      value: answersPerSecond,
      note: `By the law ${Math.round((SMALL_POOL * 1000) / HOLD_MS)}. The claim's words say nothing of a rate that a pool cannot keep up with.`,
      label: `${RATE_PER_SECOND} checks per second and a pool of ${SMALL_POOL}: checks per second that are answered`,
    },
    {
      ...BURST,
      unit: "perSecond",
      value: answersPerSecond,
      label: `${CHECKS_AND_POOL}: checks per second`,
      note: `${PUBLISHED_POOL} connections held exactly ${HOLD_MS} ms would give ${Math.round((PUBLISHED_POOL * 1000) / HOLD_MS)}; timers and the check itself hold them longer.`,
    },
  ],
  note: "A Worker is no side: it may not lend a socket to another request, so it has no pool to run out of.",
});
