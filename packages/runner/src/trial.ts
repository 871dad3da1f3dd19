import { addAbortListener } from "node:events";
import { median, sum, warmthOfTrial } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { probeOf, serveLocal, startMeter } from "./instance.ts";
import { watchClient } from "./machine.ts";
import { LEAST_ROUNDS, usualRoundsMs } from "./plan.ts";
import { playBlock, type RunningTarget, startInstances } from "./play.ts";
import type { MeasuredTarget } from "./targets.ts";
import { noteArrivals, playTransfer, TRANSFER_SHARE } from "./transfer.ts";
import { warmUpAll } from "./warm-up.ts";

export interface TrialTime {
  readonly trial: number;
  /** By `performance.now()`; Infinity where nobody asked for a time. */
  readonly endsAt: number;
  readonly leastRoundsMs: number;
  readonly leastUntil: number;
  readonly bestRoundsMs: number | null;
}

export interface TrialTook {
  readonly startMs: number;
  readonly warmUpMs: number;
  readonly restMs: number;
}

export async function runTrial(work: CaseWork, time: TrialTime): Promise<TrialTook> {
  const { trial } = time;
  const { notesArrivals, hasTransfer } = work.measuredCase;
  const begunAt = performance.now();
  const order = work.randomOrder(work.measuredTargets, trial, "start")();
  work.showProgress("start", trial, 0);
  const running = await startInstances(work, trial, order);
  using _aborted = addAbortListener(work.session.signal, () => {
    for (const { probe } of running) void probe.close();
  });
  const startedAt = performance.now();
  let warmAt = startedAt;
  try {
    await warmUpAll(work, trial, running, warmUpEnd(time));
    warmAt = performance.now();
    tellCutWarmUp(work, trial, running);
    const endsAt = warmAt + roundsMs(work, time, running);
    await measure(work, time, running, endsAt);
    noteWarmth(work, trial, running);
    if (work.mayGoOn && notesArrivals) {
      const left = going(work, running);
      work.parts = work.parts === 1 ? 1 : await noteArrivals(work, trial, left);
      if (hasTransfer) await playTransfer(work, trial, left, work.parts, endsAt);
    }
  } finally {
    work.showProgress("stop", trial, 0);
    await Promise.all(running.map(({ instance }) => instance.stop()));
  }
  return { startMs: startedAt - begunAt, warmUpMs: warmAt - startedAt, restMs: performance.now() - warmAt };
}

/** Of a trial's time, where it has one: so much may go into its warm-up, and half of it in any case. */
const WARM_UP_SHARE = 0.8;

export function warmUpEnd(
  { endsAt, leastRoundsMs }: Pick<TrialTime, "endsAt" | "leastRoundsMs">,
  now = performance.now(),
): number {
  const leftMs = endsAt - now;
  return now + Math.min(WARM_UP_SHARE * leftMs, Math.max(leftMs / 2, leftMs - leastRoundsMs));
}

/** A number of warm-up requests that was asked for is not missed in silence where the time was over before. */
function tellCutWarmUp(work: CaseWork, trial: number, all: readonly RunningTarget[]): void {
  const { session, manifest, warmUps } = work;
  if (!warmUps.isFixed || !work.mayGoOn) return;
  const kind = "warmup-unstable";
  const { events } = session.recorder.record;
  if (events.some((event) => event.kind === kind && event.caseId === manifest.id)) return;
  const askedOf = (running: RunningTarget) => warmUps.orderFor(running).exchanges;
  const cut = going(work, all).find((running) => running.costs.length < askedOf(running));
  if (cut === undefined) return;
  const got = `${cut.costs.length} of its ${askedOf(cut)} warm-up requests in ${manifest.id}`;
  work.tell(kind, `${cut.name} got ${got}: the time of the trial was over.`, cut.name, trial);
}

function roundsMs(
  work: CaseWork,
  { endsAt, leastUntil, bestRoundsMs }: TrialTime,
  running: readonly RunningTarget[],
): number {
  const now = performance.now();
  const recent = running.map(({ times }) => (times.length === 0 ? 0 : median(times.slice(-LEAST_ROUNDS))));
  const roundMs = sum(recent) + recent.length * work.plan.pauseMs;
  const usualMs = usualRoundsMs({ roundMs, warmUpMs: work.cost().warmUpMs });
  return Math.max(0, Math.min(Math.max(bestRoundsMs ?? usualMs, leastUntil - now), endsAt - now));
}

async function measure(
  work: CaseWork,
  time: TrialTime,
  running: readonly RunningTarget[],
  endsAt: number,
): Promise<void> {
  const { recorder } = work.session;
  const { spacing, roundsPerTrial } = work.plan;
  const { trial } = time;
  const caseId = work.manifest.id;
  const meters = await Promise.all(running.map((target) => startMeter(target)));
  const client = watchClient();
  const nextOrder = work.randomOrder(running, trial, "measure");
  const transferMs = work.measuredCase.hasTransfer ? TRANSFER_SHARE * (endsAt - performance.now()) : 0;
  const roundsEndAt = endsAt - transferMs;
  const enough = roundsPerTrial ?? LEAST_ROUNDS;
  for (let roundIndex = 0; work.mayGoOn; roundIndex += spacing) {
    const isTimeUp = performance.now() >= roundsEndAt && roundIndex % 2 === 0;
    if (roundIndex >= enough && (roundsPerTrial !== null || isTimeUp)) break;
    const order = going(work, nextOrder());
    const replaced = await playBlock(work, trial, { phase: "measure", order, roundIndex, times: spacing });
    await warmUpAll(work, trial, going(work, replaced), warmUpEnd(time));
  }
  recorder.add("clientLoad", { caseId, trial, ...client.read(), eventLoopDelayP90Ms: client.late(90) });
  for (const used of await Promise.all(meters.map((meter) => meter.read()))) {
    if (used !== null) recorder.add("usage", { caseId, trial, ...used });
  }
}

function noteWarmth(work: CaseWork, trial: number, all: readonly RunningTarget[]): void {
  const { warmUps, manifest, session } = work;
  const left = going(work, all);
  const found = warmthOfTrial(new Map(left.map((running) => [running, running.costByRound])));
  for (const running of left) {
    session.recorder.add("warmUps", {
      caseId: manifest.id,
      target: running.name,
      trial,
      exchanges: running.costs.length,
      needed: warmUps.neededBy(running),
      warmAfter: warmUps.warmAfter(running),
    });
  }
  for (const running of left) {
    const warmth = found.get(running);
    if (warmth !== undefined) warmUps.learnFromRounds(running, warmth, running.costs.length);
    // Last: what this trial's instances had to get must not change behind them.
    warmUps.learnTime(running, running.times.slice(-LEAST_ROUNDS));
  }
  if ([...found.values()].every(({ warm }) => warm)) work.warmTrials += 1;
}

function going(work: CaseWork, running: readonly RunningTarget[]): RunningTarget[] {
  return running.filter(({ name }) => !work.isDropped(name));
}

/** Asked twice each, and nothing else runs meanwhile. What only the case needs is still to be loaded. */
export async function measureColdStarts(work: CaseWork): Promise<void> {
  const { session, plan } = work;
  const local = work.measuredTargets.filter(({ target }) => target.place === "local");
  const nextOrder = work.randomOrder(local, "cold");
  for (let repetition = 0; repetition < plan.coldStarts; repetition++) {
    work.showProgress("cold", 0, repetition);
    for (const [position, target] of nextOrder().entries()) {
      if (session.signal.aborted) return;
      await startOnce(work, target, repetition, position);
    }
    session.recorder.flush();
  }
}

async function startOnce(
  work: CaseWork,
  measured: MeasuredTarget,
  repetition: number,
  position: number,
): Promise<void> {
  const { name, target } = measured;
  if (target.place !== "local") return;
  const { recorder, signal, instanceSettings } = work.session;
  const { path, expected } = work.measuredCase.requestOf(measured);
  const askedAt = performance.now();
  const host = await serveLocal(target, name, instanceSettings).catch(() => null);
  if (host === null) return;
  // What is prepared for a platform before its process starts is no part of its start.
  const readyMs = performance.now() - (host.startedAt ?? askedAt);
  const probe = probeOf(target, host.url, instanceSettings.exchangeTimeoutMs);
  using _aborted = addAbortListener(signal, () => void probe.close());
  try {
    const exchanges = signal.aborted
      ? []
      : [await probe.exchange(path, expected), await probe.exchange(path, expected)];
    if (signal.aborted) return;
    for (const [roundIndex, exchange] of exchanges.entries())
      work.record({ target: name, trial: repetition, phase: "cold", roundIndex, position }, exchange);
    recorder.add("coldStarts", { caseId: work.manifest.id, target: name, repetition, readyMs });
  } finally {
    await probe.close();
    await host.stop();
  }
}
