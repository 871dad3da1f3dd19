import type { Sample } from "@evenbench/core";
import { type Exchange, interleave, type Lane, runRound } from "@evenbench/probe";
import { isSteady } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { watchClient } from "./client-meter.ts";
import { FLOOR_SHARE, noteArrivals, playFloor } from "./floor.ts";
import { type Instance, startInstance } from "./instance.ts";
import { startMeter } from "./meter.ts";
import { RunError } from "./options.ts";
import {
  DIGEST_EVERY,
  deriveSeed,
  LEAST_ROUNDS,
  LEAST_WARMUP_EXCHANGES,
  MOST_WARMUP_MS,
  WARMUP_SHARE,
} from "./plan.ts";
import type { Contender } from "./targets.ts";

/** One set of fresh instances: its place in the case, and when its share of the case's time is over. */
export interface GenerationTime {
  readonly generation: number;
  /** As `performance.now()` has it. */
  readonly endsAt: number;
}

/** A contender with the instance that stands for it now. */
interface RunningLane extends Lane {
  probe: Instance["probe"];
  readonly contender: Contender;
  requestId?: string | undefined;
  instance: Instance;
  instanceId: string | null;
  restarted: boolean;
  /** Exchanges in the measure phase. */
  measured: number;
  /** Last byte of each warm-up exchange of the instance. */
  warmupTimes: number[];
}

type Phase = Extract<Sample["phase"], "warmup" | "measure">;

/**
 * Starts fresh instances of all contenders that are left, warms them up, measures interleaved rounds, and stops them.
 * What goes wrong becomes samples and events; contenders that cannot go on are dropped from the case.
 */
export async function runGeneration(work: CaseWork, time: GenerationTime): Promise<void> {
  const { session, manifest } = work;
  const { generation } = time;
  const seedOf = (purpose: string) => deriveSeed(session.seed, manifest.id, generation, purpose);
  work.showProgress("start", generation, 0);
  const lanes = await startLanes(work, generation, interleave(work.contenders, seedOf("start"))());
  const closeProbes = () => {
    for (const lane of lanes) lane.probe.close();
  };
  session.signal.addEventListener("abort", closeProbes, { once: true });
  try {
    const going = () => lanes.filter((lane) => !work.isDropped(lane.name));
    await warmUp(seedOf("warmup"), going);
    const meters = await Promise.all(lanes.map((lane) => startMeter(lane)));
    const client = watchClient();
    const nextOrder = interleave(lanes, seedOf("measure"));
    const floorMs = work.hasFloor ? FLOOR_SHARE * (time.endsAt - performance.now()) : 0;
    const roundsEndAt = time.endsAt - floorMs;
    for (let roundIndex = 0; mayGoOn(); roundIndex++) {
      const enough = work.rounds ?? LEAST_ROUNDS;
      if (roundIndex >= enough && (work.rounds !== null || performance.now() >= roundsEndAt)) break;
      await playRound(
        nextOrder().filter((lane) => !work.isDropped(lane.name)),
        "measure",
        roundIndex,
      );
    }
    session.recorder.add("clientLoad", { caseId: manifest.id, generation, ...client.read() });
    for (const used of await Promise.all(meters.map((meter) => meter.read()))) {
      if (used !== null) session.recorder.add("usage", { caseId: manifest.id, generation, ...used });
    }
    if (mayGoOn() && work.hasFloor) {
      const left = going();
      work.parts = work.parts === 1 ? 1 : await noteArrivals(work, generation, left);
      await playFloor(work, generation, left, work.parts, time.endsAt);
    }
  } finally {
    session.signal.removeEventListener("abort", closeProbes);
    work.showProgress("stop", generation, 0);
    await Promise.all(lanes.map((lane) => lane.instance.stop()));
  }

  function mayGoOn(): boolean {
    return !session.signal.aborted && work.failure === null;
  }

  async function warmUp(seed: number, going: () => RunningLane[]): Promise<void> {
    const begunAt = performance.now();
    const endsAt = begunAt + Math.min((time.endsAt - begunAt) * WARMUP_SHARE, MOST_WARMUP_MS);
    const nextOrder = interleave(going(), seed);
    for (let roundIndex = 0; mayGoOn(); roundIndex++) {
      const left = going();
      const steady = left.every((lane) => isSteady(lane.warmupTimes));
      if (roundIndex >= LEAST_WARMUP_EXCHANGES && (steady || performance.now() >= endsAt)) break;
      await playRound(
        nextOrder().filter((lane) => left.includes(lane)),
        "warmup",
        roundIndex,
      );
    }
    for (const lane of going()) work.noteWarmup(lane.name, isSteady(lane.warmupTimes));
  }

  async function playRound(order: RunningLane[], phase: Phase, roundIndex: number): Promise<void> {
    work.showProgress(phase, generation, roundIndex);
    const withDigest = roundIndex % DIGEST_EVERY === 0;
    for (const lane of order) {
      const { name: target, contender } = lane;
      const key = { caseId: manifest.id, target, generation, phase, roundIndex };
      lane.requestId = session.providerCpu?.nameOf(contender, key);
    }
    const exchanges = await runRound(order, { body: withDigest }, session.signal);
    const disturbed: [RunningLane, Exchange][] = [];
    for (const [position, exchange] of exchanges.entries()) {
      const lane = order[position] as RunningLane;
      work.record(lane.name, generation, phase, roundIndex, position, exchange);
      if (phase === "measure") lane.measured += 1;
      if (phase === "warmup" && exchange.lastByteMs !== null) lane.warmupTimes.push(exchange.lastByteMs);
      if (exchange.error !== null || isReplaced(lane, exchange)) disturbed.push([lane, exchange]);
    }
    session.recorder.flush();
    for (const [lane, exchange] of disturbed) await attendTo(lane, exchange, phase);
  }

  /** Whether another process answers than before, in a place that should have only one. */
  function isReplaced(lane: RunningLane, { instanceId }: Exchange): boolean {
    if (instanceId === null) return false;
    const before = lane.instanceId;
    lane.instanceId = instanceId;
    const single = lane.contender.source.place === "local" && session.instanceSettings.workers === 1;
    return single && before !== null && before !== instanceId;
  }

  async function attendTo(lane: RunningLane, { error }: Exchange, phase: Phase): Promise<void> {
    if (session.signal.aborted) return;
    if (error === null) {
      const detail = `${lane.name}: another instance answers; the host replaced its process.`;
      session.recorder.event("host-restarted", detail, {
        caseId: manifest.id,
        target: lane.name,
        generation,
      });
    } else {
      const cause = error.kind === "connection" ? await lane.instance.causeOfDeath() : null;
      if (cause === null) {
        const exhausted = work.budgetOf(lane.name).exhausted;
        if (exhausted !== null) work.drop(lane.name, exhausted, generation);
        return;
      }
      if (!(await restart(lane, cause))) return;
    }
    lane.warmupTimes = [];
    if (phase === "measure")
      await warmUp(deriveSeed(session.seed, "again"), () =>
        [lane].filter((one) => !work.isDropped(one.name)),
      );
  }

  /** Once in a generation; the second death drops the target. */
  async function restart(lane: RunningLane, cause: string): Promise<boolean> {
    await lane.instance.stop();
    if (lane.restarted) {
      work.drop(lane.name, `its host died twice in one generation. ${cause}`, generation);
      return false;
    }
    lane.restarted = true;
    try {
      lane.instance = await startInstance(
        lane.contender,
        work.identityOf(lane.contender),
        session.instanceSettings,
      );
    } catch (problem) {
      work.drop(lane.name, `its host died and could not be started again. ${messageOf(problem)}`, generation);
      return false;
    }
    lane.probe = lane.instance.probe;
    lane.instanceId = null;
    work.budgetOf(lane.name).startInstance();
    const detail = `${lane.name}: its host was started again. ${cause}`;
    session.recorder.event("host-restarted", detail, { caseId: manifest.id, target: lane.name, generation });
    return true;
  }
}

/** Starts all side by side, begun in the order given; one that fails gets a second try, and is then dropped. */
async function startLanes(
  work: CaseWork,
  generation: number,
  order: readonly Contender[],
): Promise<RunningLane[]> {
  const { session, manifest } = work;
  const start = (contender: Contender) =>
    startInstance(contender, work.identityOf(contender), session.instanceSettings);
  const lanes = await Promise.all(
    order.map(async (contender): Promise<RunningLane | null> => {
      const { name } = contender;
      try {
        const instance = await start(contender).catch((problem: unknown) => {
          // Another start would find the same pins.
          if (problem instanceof RunError) throw problem;
          const detail = `${name}: its host did not start, and is tried again. ${messageOf(problem)}`;
          session.recorder.event("host-restarted", detail, { caseId: manifest.id, target: name, generation });
          return start(contender);
        });
        work.budgetOf(name).startInstance();
        const lane = {
          name,
          contender,
          instance,
          probe: instance.probe,
          ...work.requestOf(contender),
        };
        return { ...lane, instanceId: null, restarted: false, measured: 0, warmupTimes: [] };
      } catch (problem) {
        const why = problem instanceof RunError ? "" : "its host does not start. ";
        work.drop(name, why + messageOf(problem), generation);
        return null;
      }
    }),
  );
  return lanes.filter((lane) => lane !== null);
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
