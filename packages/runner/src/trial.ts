import { addAbortListener } from "node:events";
import { messageOf } from "@evenbench/core";
import { usedBetween } from "@evenbench/host";
import { checkBody, type Exchange } from "@evenbench/probe";
import { median, sum, warmInstances, warmthOf } from "@evenbench/stats";
import type { CaseState, RunningTarget } from "./case-work.ts";
import { probeOf, serveLocal } from "./instance.ts";
import { watchClient } from "./machine.ts";
import { defaultMeasureMs, LEAST_ROUNDS } from "./plan.ts";
import { playBlock, startInstances } from "./play.ts";
import type { MeasuredTarget } from "./targets.ts";
import { notedIn, playTransfer, recordArrivals, TRANSFER_SHARE } from "./transfer.ts";
import { warmUpAll } from "./warm-up.ts";

export interface TrialTime {
  readonly trial: number;
  /** By `performance.now()`; Infinity where nobody asked for a time. */
  readonly endsAt: number;
  readonly minMeasureMs: number;
  readonly leastUntil: number;
  readonly bestRoundsMs: number | null;
}

export type TrialTook = Readonly<Awaited<ReturnType<typeof runTrial>>>;

export async function runTrial(work: CaseState, time: TrialTime) {
  work.trial = time.trial;
  const noted = notedIn(work);
  const begunAt = performance.now();
  work.showProgress("start");
  work.running = await startInstances(work, work.randomOrder(work.askedTargets, time.trial, "start")());
  using _aborted = addAbortListener(work.session.signal, () => {
    for (const { probe } of work.running) {
      void probe.close();
    }
  });
  const startedAt = performance.now();
  let warmAt = startedAt;
  try {
    await warmUpAll(work, work.running, warmUpEnd(time));
    warmAt = performance.now();
    const endsAt = warmAt + roundsMs(work, time);
    await measure(work, time, endsAt);
    recordWarmth(work);
    if (work.mayGoOn && noted.arrivals) {
      work.parts = work.parts === 1 ? 1 : await recordArrivals(work);
      if (noted.transfer) {
        await playTransfer(work, work.parts, endsAt);
      }
    }
  } finally {
    work.showProgress("stop");
    await Promise.all(work.running.map(({ instance }) => instance.stop()));
  }
  return { startMs: startedAt - begunAt, warmUpMs: warmAt - startedAt, restMs: performance.now() - warmAt };
}

/** Of a trial's time, where it has one: so much may go into its warm-up, and half of it in any case. */
const WARM_UP_TIME_SHARE = 0.9;

export function warmUpEnd(
  { endsAt, minMeasureMs }: Pick<TrialTime, "endsAt" | "minMeasureMs">,
  now = performance.now(),
): number {
  const leftMs = endsAt - now;
  return now + Math.min(WARM_UP_TIME_SHARE * leftMs, Math.max(leftMs / 2, leftMs - minMeasureMs));
}

function roundsMs(work: CaseState, { endsAt, leastUntil, bestRoundsMs }: TrialTime): number {
  const now = performance.now();
  const recent = work.running.map(({ times }) =>
    times.length === 0 ? 0 : median(times.slice(-LEAST_ROUNDS)),
  );
  const roundMs = sum(recent) + recent.length * work.plan.pauseMs;
  const usualMs = defaultMeasureMs({ ...work.cost(), roundMs });
  return Math.max(0, Math.min(Math.max(bestRoundsMs ?? usualMs, leastUntil - now), endsAt - now));
}

async function measure(work: CaseState, time: TrialTime, endsAt: number): Promise<void> {
  const { recorder } = work.session;
  const { spacing, roundsPerTrial } = work.plan;
  const at = { caseId: work.manifest.id, trial: work.trial };
  const accounts = () => Promise.all(work.running.map(({ instance }) => instance.account()));
  const instances = work.running.map(({ instance }) => instance);
  const before = await accounts();
  const client = watchClient();
  const nextOrder = work.randomOrder(work.running, work.trial, "measure");
  const transferMs = notedIn(work).transfer ? TRANSFER_SHARE * (endsAt - performance.now()) : 0;
  const roundsEndAt = endsAt - transferMs;
  const enough = roundsPerTrial ?? LEAST_ROUNDS;
  /** Targets of which another process answers than at the start. */
  const restarted = new Set<string>();
  for (let roundIndex = 0; work.mayGoOn; roundIndex += spacing) {
    const isTimeUp = performance.now() >= roundsEndAt && roundIndex % 2 === 0;
    if (roundIndex >= enough && (roundsPerTrial !== null || isTimeUp)) {
      break;
    }
    const order = nextOrder().filter(({ name }) => !work.isDropped(name));
    const replaced = await playBlock(work, { phase: "measure", order, roundIndex, times: spacing });
    for (const { name } of replaced) {
      restarted.add(name);
      work.forgetReplaced(name);
    }
    await warmUpAll(work, replaced, warmUpEnd(time));
  }
  recorder.add("clientLoad", { ...at, ...client.read(), eventLoopDelayP90Ms: client.late(90) });
  for (const [index, account] of (await accounts()).entries()) {
    const { name, instance } = work.running[index] as RunningTarget;
    const used = usedBetween(before[index] ?? null, account);
    const exchanges = work.samplesOfTrial.filter(({ target }) => target === name).length;
    if (used !== null && instance === instances[index] && !restarted.has(name)) {
      recorder.add("usage", { ...at, target: name, exchanges, ...used });
    }
  }
}

function recordWarmth(work: CaseState): void {
  const { warmUps, manifest, session, going } = work;
  const warm = warmInstances(work.samplesOfTrial, []).cpuTime;
  for (const running of going) {
    session.recorder.add("warmUps", {
      caseId: manifest.id,
      target: running.name,
      trial: work.trial,
      exchanges: running.costs.length,
      needed: warmUps.neededBy(running),
      warmAfter: warmUps.warmAfter(running),
    });
  }
  for (const running of going) {
    warmUps.raiseIfCold(running, warmthOf(warm, running.name, work.trial), running.costs.length);
    // Last: what this trial's instances had to get must not change behind them.
    warmUps.updateExchangeTime(running, running.times.slice(-LEAST_ROUNDS));
  }
  if (going.every(({ name }) => warmthOf(warm, name, work.trial).warm)) {
    work.warmTrials += 1;
  }
}

/** Asked twice each, and nothing else runs meanwhile. What only the case needs is still to be loaded. */
export async function measureColdStarts(work: CaseState): Promise<void> {
  const { session, plan } = work;
  const local = work.measuredTargets.filter(({ target }) => target.place === "local");
  const nextOrder = work.randomOrder(local, "cold");
  for (let repetition = 0; repetition < plan.coldStarts; repetition++) {
    work.trial = repetition;
    work.showProgress("cold", repetition, 0);
    for (const [position, target] of nextOrder().entries()) {
      if (session.signal.aborted) {
        return;
      }
      await startOnce(work, target, position);
    }
    session.recorder.flush();
  }
}

async function startOnce(work: CaseState, measured: MeasuredTarget, position: number): Promise<void> {
  const { name, target } = measured;
  if (target.place !== "local") {
    return;
  }
  const { recorder, signal, instanceSettings } = work.session;
  const { path, expected } = work.requestOf(measured);
  const askedAt = performance.now();
  const host = await serveLocal(target, name, instanceSettings).catch((problem: unknown) => {
    if (!signal.aborted) {
      work.tell("cold-start-failed", `${name}: a cold start failed. ${messageOf(problem)}`, name);
    }
    return null;
  });
  if (host === null) {
    return;
  }
  // What is prepared for a platform before its process starts is no part of its start.
  const readyMs = performance.now() - (host.startedAt ?? askedAt);
  const probe = probeOf(target, host.url, instanceSettings.exchangeTimeoutMs);
  using _aborted = addAbortListener(signal, () => void probe.close());
  try {
    const exchanges: Exchange[] = [];
    while (exchanges.length < 2 && !signal.aborted) {
      const exchange = await probe.exchange(path, expected, { digest: true });
      checkBody(exchange, expected);
      exchanges.push(exchange);
    }
    if (signal.aborted) {
      return;
    }
    for (const [roundIndex, exchange] of exchanges.entries()) {
      work.record({ target: name, phase: "cold", roundIndex, position }, exchange);
    }
    recorder.add("coldStarts", { caseId: work.manifest.id, target: name, repetition: work.trial, readyMs });
  } finally {
    await probe.close();
    await host.stop();
  }
}
