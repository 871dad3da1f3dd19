import type { Sample, WarmUp } from "@evenbench/results";
import { type CostByRound, type Warmth, warmthOfTrial } from "./warm-up.ts";

/** Whether each instance of a case was warm, by target and trial. */
export type WarmInstances = ReadonlyMap<string, ReadonlyMap<number, Warmth>>;

/** What warmth is asked for: for verdicts on times, or on CPU time. */
export type WarmFor = "times" | "CPU time";

/** Where less of the time than this is CPU time, the rest is waiting: code that still becomes faster cannot move the time by much. */
const MOSTLY_WAITING = 0.1;

/**
 * Says of every instance of a case whether it was warm while it was measured: it had got the warm-up that its target needs, and then
 * stayed on one level (see `warmthOfTrial`). CPU time is asked, since a busy machine hardly moves it; the time to the last byte where there is
 * none, and, for times, where nine tenths of that are waiting. All answers of a trial are asked together, whichever instances gave them: a
 * deployed target may change them.
 *
 * @param samples of one case.
 * @param warmUps of the run; an instance that is not among them (in runs from before they were noted) is judged by its samples alone.
 */
export function warmInstances(
  samples: Iterable<Sample>,
  warmUps: readonly WarmUp[],
  warmFor: WarmFor = "CPU time",
): WarmInstances {
  const measured = [...samples].filter(({ phase, error }) => phase === "measure" && error === null);
  const caseId = measured[0]?.caseId;
  const known = new Map(
    warmUps.filter((one) => one.caseId === caseId).map((one) => [`${one.target} ${one.trial}`, one] as const),
  );
  const targets = Map.groupBy(measured, ({ target }) => target);
  const found = new Map([...targets.keys()].map((target) => [target, new Map<number, Warmth>()]));
  const trials = [...Map.groupBy(measured, ({ trial }) => trial)].sort(([a], [b]) => a - b);
  for (const [trial, ofTrial] of trials) {
    const byTarget = [...Map.groupBy(ofTrial, ({ target }) => target)];
    const costs = new Map(byTarget.map(([target, own]) => [target, costsOf(own, warmFor)]));
    for (const [target, warmth] of warmthOfTrial(costs)) {
      const cut = shortWarmUp(known.get(`${target} ${trial}`));
      found.get(target)?.set(trial, cut === null ? warmth : { warm: false, reason: cut });
    }
  }
  return found;
}

/** By round. */
function costsOf(measured: readonly Sample[], warmFor: WarmFor): CostByRound {
  const byTime = warmFor === "times" && isMostlyWaiting(measured);
  return new Map(
    measured.flatMap(({ roundIndex, cpuMs, lastByteMs }) => {
      const cost = byTime ? lastByteMs : (cpuMs ?? lastByteMs);
      return cost === null ? [] : [[roundIndex, cost] as const];
    }),
  );
}

function isMostlyWaiting(measured: readonly Sample[]): boolean {
  const sum = (of: (sample: Sample) => number | null) =>
    measured.reduce((total, sample) => total + (of(sample) ?? 0), 0);
  const cpuMs = sum((sample) => sample.cpuMs);
  return cpuMs > 0 && cpuMs < MOSTLY_WAITING * sum((sample) => sample.lastByteMs);
}

function shortWarmUp(warmUp: WarmUp | undefined): string | null {
  if (warmUp === undefined) return null;
  const { exchanges, needed } = warmUp;
  if (needed === null) return `got ${exchanges} requests of warm-up, too few to find out how many it needs`;
  return exchanges < needed ? `got ${exchanges} of the ${needed} requests that warm it up` : null;
}
