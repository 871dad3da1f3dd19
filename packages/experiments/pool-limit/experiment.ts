import type { StageSummary } from "@evenbench/load";
import type { Figure, Outcome } from "@evenbench/results";
import { meanInterval } from "@evenbench/stats";
import { defineExperiment, PRIVACY_PROXY } from "../src/define.ts";
import { conclude, estimate, judgeNear } from "../src/judge.ts";
import {
  type LoadAnswer,
  loadSides,
  meanAt,
  type StagePlace,
  trialsFor,
  valuesAt,
} from "../src/load-sides.ts";

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

const side = (pool: number) =>
  ({ name: `pool of ${pool}`, target: "node", parameters: { holdMs: HOLD_MS, pool } }) as const;
const SIDES = [side(POOL), side(LARGE_POOL), side(SMALL_POOL)];

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
  sides: SIDES,
  async measure(context) {
    // So many requests at a time take a long stage, as long as those of both pools together.
    const shareMs = context.timeMs / 2;
    const trials = trialsFor(shareMs, TRIAL_MS);
    const burst = await loadSides(context, {
      caseId: CASE,
      sides: [side(POOL)],
      loads: [{ kind: "closed", connections: NEEDED }],
      trials,
      timeMs: shareMs,
    });
    const rate = await loadSides(context, {
      caseId: CASE,
      sides: [side(LARGE_POOL), side(SMALL_POOL)],
      loads: [{ kind: "open", perSecond: PER_SECOND, arrivals: "poisson", connections: 128 }],
      trials,
      timeMs: shareMs,
    });
    return { burst, rate };
  },
  decide: ({ own }) => decide(own),
});

/** What waits beside what Little's law says, at the published size and at a fixed rate. */
export function decide({ burst, rate }: PoolLoads): Outcome {
  const holdS = HOLD_MS / 1000;
  const crowd = { side: side(POOL).name, offered: NEEDED };
  const [ample, short] = [LARGE_POOL, SMALL_POOL].map((pool) => ({
    side: side(pool).name,
    offered: PER_SECOND,
  }));
  const deciding: Figure[] = [
    judgeNear(
      `${NEEDED} checks at a time and a pool of ${POOL}: checks that wait for a connection`,
      "count",
      waiting(burst, crowd),
      { expected: NEEDED - POOL, within: WITHIN },
    ),
    judgeNear(
      `${PER_SECOND} checks per second and a pool of ${LARGE_POOL}: connections in use / rate × time of a check`,
      "ratio",
      meanAt(rate, ample as StagePlace, inUseByLaw),
      { expected: 1, within: WITHIN },
    ),
    judgeNear(
      `${PER_SECOND} checks per second and a pool of ${SMALL_POOL}: checks per second that are answered`,
      "perSecond",
      meanAt(rate, short as StagePlace, ({ perSecond }) => perSecond),
      { expected: SMALL_POOL / holdS, within: WITHIN },
    ),
  ];
  const served: Figure = {
    label: `${NEEDED} checks at a time and a pool of ${POOL}: checks per second`,
    unit: "perSecond",
    value: estimate(meanAt(burst, crowd, ({ perSecond }) => perSecond)),
    verdict: null,
    note: `${POOL} connections held exactly ${HOLD_MS} ms would give ${perSecondOf(POOL)}; timers and the check itself hold them longer.`,
  };
  const shown = [served, ...[ample, short].flatMap((place) => latencyFigures(rate, place as StagePlace))];
  const notes = [...burst.notes, ...rate.notes].join(" ");
  const { verdict, reason } = conclude(deciding);
  return {
    verdict,
    reason:
      `${reason} A Worker is no side: it may not lend a socket to another request, so it has no pool to run out of. ${notes}`.trim(),
    figures: [...deciding, ...shown],
    tables: [],
  };
}

function perSecondOf(pool: number): number {
  return Math.round((pool * 1000) / HOLD_MS);
}

/** The instance counts the others on arrival; with the one that arrives, all but those with a connection wait. */
function waiting(answer: LoadAnswer, place: StagePlace) {
  const others = valuesAt(answer, place, ({ inFlightMean }) => inFlightMean);
  return meanInterval([...others.values()].map((count) => count + 1 - POOL));
}

/** Little's law with the instance's own count: its others on arrival are what is in use. */
function inUseByLaw({ inFlightMean, perSecond, serviceMeanMs }: StageSummary): number | null {
  if (inFlightMean === null || serviceMeanMs === null || perSecond === 0) return null;
  return inFlightMean / ((perSecond * serviceMeanMs) / 1000);
}

function latencyFigures(answer: LoadAnswer, place: StagePlace): Figure[] {
  const figure = (label: string, pick: (summary: StageSummary) => number | null): Figure => ({
    label: `${PER_SECOND} checks per second, ${place.side}: ${label}`,
    unit: "ms",
    value: estimate(meanAt(answer, place, pick)),
    verdict: null,
    note: null,
  });
  return [
    figure("median latency", ({ latency }) => latency?.p50 ?? null),
    figure("p99 of latency", ({ latency }) => latency?.p99 ?? null),
  ];
}
