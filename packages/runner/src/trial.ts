import { interleave } from "@evenbench/probe";
import { median, warmthOfTrial } from "@evenbench/stats";
import type { CaseWork } from "./case-work.ts";
import { probeOf, serveLocal, startMeter } from "./instance.ts";
import { watchClient } from "./machine.ts";
import { deriveSeed, LEAST_ROUNDS, usualRoundsMs } from "./plan.ts";
import { playBlock, type RunningTarget, startInstances } from "./play.ts";
import type { MeasuredTarget } from "./targets.ts";
import { noteArrivals, playTransfer, TRANSFER_SHARE } from "./transfer.ts";
import { warmUpAll } from "./warm-up.ts";

export interface TrialTime {
  readonly trial: number;
  /** As `performance.now()` has it; Infinity where nobody asked for a time. */
  readonly endsAt: number;
  /** What its least rounds take: its warm-up leaves them that. */
  readonly leastRoundsMs: number;
  /** Until when it is measured at least. */
  readonly leastUntil: number;
}

/** What a trial took, in milliseconds. */
export interface TrialTook {
  readonly startMs: number;
  readonly warmUpMs: number;
  readonly restMs: number;
}

/** What goes wrong becomes samples and events; targets that cannot go on are dropped from the case. */
export async function runTrial(work: CaseWork, time: TrialTime): Promise<TrialTook> {
  const { session } = work;
  const { trial } = time;
  const begunAt = performance.now();
  const order = interleave(work.measuredTargets, seedOf(work, trial, "start"))();
  work.showProgress("start", trial, 0);
  const runningTargets = await startInstances(work, trial, order);
  const closeProbes = () => {
    for (const running of runningTargets) void running.probe.close();
  };
  session.signal.addEventListener("abort", closeProbes, { once: true });
  const startedAt = performance.now();
  let warmAt = startedAt;
  try {
    await warmUpAll(work, trial, runningTargets, warmUpEnd(time));
    warmAt = performance.now();
    tellCutWarmUp(work, trial, runningTargets);
    const endsAt = warmAt + roundsMs(work, time, runningTargets);
    await measure(work, time, runningTargets, endsAt);
    noteWarmth(work, trial, runningTargets);
    if (mayGoOn(work) && work.notesArrivals) {
      const left = going(work, runningTargets);
      work.parts = work.parts === 1 ? 1 : await noteArrivals(work, trial, left);
      if (work.hasTransfer) await playTransfer(work, trial, left, work.parts, endsAt);
    }
  } finally {
    session.signal.removeEventListener("abort", closeProbes);
    work.showProgress("stop", trial, 0);
    await Promise.all(runningTargets.map((running) => running.instance.stop()));
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
function tellCutWarmUp(work: CaseWork, trial: number, runningTargets: readonly RunningTarget[]): void {
  const { session, manifest, warmUps } = work;
  if (!warmUps.isFixed || !mayGoOn(work)) return;
  const caseId = manifest.id;
  const kind = "warmup-unstable";
  if (session.recorder.record.events.some((event) => event.kind === kind && event.caseId === caseId)) return;
  const askedOf = (running: RunningTarget) => warmUps.of(running).exchanges;
  const cut = going(work, runningTargets).find((running) => running.costs.length < askedOf(running));
  if (cut === undefined) return;
  const detail = `${cut.name} got ${cut.costs.length} of its ${askedOf(cut)} warm-up requests in ${caseId}: the time of the trial was over.`;
  session.recorder.event(kind, detail, { caseId, target: cut.name, trial });
}

function roundsMs(
  work: CaseWork,
  { endsAt, leastUntil }: TrialTime,
  runningTargets: readonly RunningTarget[],
): number {
  const now = performance.now();
  const recent = runningTargets.map(({ times }) =>
    times.length === 0 ? 0 : median(times.slice(-LEAST_ROUNDS)),
  );
  const roundMs = recent.reduce((sum, ms) => sum + ms + work.pauseMs, 0);
  const usualMs = usualRoundsMs({ roundMs, warmUpMs: work.warmUps.expectedMs(work.measuredTargets) ?? 0 });
  return Math.max(0, Math.min(Math.max(usualMs, leastUntil - now), endsAt - now));
}

/** Rounds in random order, each with `spacing` exchanges at every running, until the time is over. */
async function measure(
  work: CaseWork,
  time: TrialTime,
  runningTargets: readonly RunningTarget[],
  endsAt: number,
): Promise<void> {
  const { session, manifest, spacing } = work;
  const { trial } = time;
  const meters = await Promise.all(runningTargets.map((running) => startMeter(running)));
  const client = watchClient();
  const nextOrder = interleave(runningTargets, seedOf(work, trial, "measure"));
  const transferMs = work.hasTransfer ? TRANSFER_SHARE * (endsAt - performance.now()) : 0;
  const roundsEndAt = endsAt - transferMs;
  const enough = work.rounds ?? LEAST_ROUNDS;
  for (let roundIndex = 0; mayGoOn(work); roundIndex += spacing) {
    const isTimeUp = performance.now() >= roundsEndAt && roundIndex % 2 === 0;
    if (roundIndex >= enough && (work.rounds !== null || isTimeUp)) break;
    const order = going(work, nextOrder());
    const replaced = await playBlock(work, trial, {
      phase: "measure",
      order,
      roundIndex,
      times: spacing,
    });
    await warmUpAll(work, trial, going(work, replaced), warmUpEnd(time));
  }
  session.recorder.add("clientLoad", { caseId: manifest.id, trial, ...client.read() });
  for (const used of await Promise.all(meters.map((meter) => meter.read()))) {
    if (used !== null) session.recorder.add("usage", { caseId: manifest.id, trial, ...used });
  }
}

function noteWarmth(work: CaseWork, trial: number, runningTargets: readonly RunningTarget[]): void {
  const caseId = work.manifest.id;
  const left = going(work, runningTargets);
  const found = warmthOfTrial(new Map(left.map((running) => [running, running.costByRound])));
  for (const running of left) {
    work.session.recorder.add("warmUps", {
      caseId,
      target: running.name,
      trial,
      exchanges: running.costs.length,
      needed: work.warmUps.neededBy(running),
      warmAfter: work.warmUps.warmAfter(running),
    });
  }
  for (const running of left) {
    const warmth = found.get(running);
    if (warmth !== undefined) work.warmUps.learnFromRounds(running, warmth, running.costs.length);
    // Last: what this trial's instances had to get must not change behind them.
    work.warmUps.learnTime(running, running.times.slice(-LEAST_ROUNDS));
  }
  if ([...found.values()].every(({ warm }) => warm)) work.warmTrials += 1;
}

function going(work: CaseWork, runningTargets: readonly RunningTarget[]): RunningTarget[] {
  return runningTargets.filter((running) => !work.isDropped(running.name));
}

function mayGoOn({ session, failure }: CaseWork): boolean {
  return !session.signal.aborted && failure === null;
}

function seedOf({ session, manifest }: CaseWork, trial: number, purpose: string): number {
  return deriveSeed(session.seed, manifest.id, trial, purpose);
}

/**
 * One instance after the other, in random order, asked twice; nothing else runs meanwhile. It has answered
 * `/identity` before: what only the case needs is still to be loaded.
 */
export async function measureColdStarts(work: CaseWork, repetitions: number): Promise<void> {
  const { session, manifest } = work;
  const seed = deriveSeed(session.seed, manifest.id, "cold");
  const nextOrder = interleave(
    work.measuredTargets.filter(({ target }) => target.place === "local"),
    seed,
  );
  for (let repetition = 0; repetition < repetitions; repetition++) {
    work.showProgress("cold", 0, repetition);
    for (const [position, measured] of nextOrder().entries()) {
      if (session.signal.aborted) return;
      await startOnce(work, measured, repetition, position);
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
  const { session, manifest } = work;
  const { path, expected } = work.requestOf(measured);
  const askedAt = performance.now();
  const host = await serveLocal(target, name, session.instanceSettings).catch(() => null);
  if (host === null) return;
  // What is prepared for a platform before its process starts is no part of its start.
  const readyMs = performance.now() - (host.startedAt ?? askedAt);
  const probe = probeOf(target, host.url, session.instanceSettings.exchangeTimeoutMs);
  const closeProbe = () => void probe.close();
  session.signal.addEventListener("abort", closeProbe, { once: true });
  try {
    if (session.signal.aborted) return;
    const first = await probe.exchange(path, expected);
    const second = await probe.exchange(path, expected);
    if (session.signal.aborted) return;
    const where = { target: name, trial: repetition, phase: "cold", position } as const;
    work.record({ ...where, roundIndex: 0 }, first);
    work.record({ ...where, roundIndex: 1 }, second);
    session.recorder.add("coldStarts", { caseId: manifest.id, target: name, repetition, readyMs });
  } finally {
    session.signal.removeEventListener("abort", closeProbe);
    await probe.close();
    await host.stop();
  }
}
