import type { Sample, WarmUp } from "@evenbench/results";
import { type CostByRound, type Warmth, warmthOfTrial } from "./warm-up.ts";

/** Whether each instance of a case was warm, by target and trial. */
export type WarmInstances = ReadonlyMap<string, ReadonlyMap<number, Warmth>>;

/**
 * Says of every instance of a case whether it was warm while it was measured: it had got the warm-up that its target needs, and then
 * stayed on one level (see `warmthOfTrial`). CPU time is asked, since a busy machine hardly moves it; the headline's time where there is none.
 *
 * @param samples of one case.
 * @param warmUps of the run; an instance that is not among them (in runs from before they were noted) is judged by its samples alone.
 */
export function warmInstances(samples: Iterable<Sample>, warmUps: readonly WarmUp[]): WarmInstances {
  const byInstance = new Map<string, Map<number, Sample[]>>();
  let caseId: string | null = null;
  for (const sample of samples) {
    if (sample.phase !== "measure" || sample.error !== null) continue;
    caseId = sample.caseId;
    const ofTarget = byInstance.get(sample.target) ?? new Map<number, Sample[]>();
    byInstance.set(sample.target, ofTarget);
    const own = ofTarget.get(sample.trial) ?? [];
    ofTarget.set(sample.trial, own);
    own.push(sample);
  }
  const known = new Map(
    warmUps.filter((one) => one.caseId === caseId).map((one) => [`${one.target} ${one.trial}`, one] as const),
  );
  const found = new Map([...byInstance.keys()].map((target) => [target, new Map<number, Warmth>()]));
  const trials = new Set([...byInstance.values()].flatMap((ofTarget) => [...ofTarget.keys()]));
  for (const trial of [...trials].sort((a, b) => a - b)) {
    const costs = new Map(
      [...byInstance].flatMap(([target, ofTarget]) => {
        const own = ofTarget.get(trial);
        return own === undefined ? [] : [[target, costsOf(own)] as const];
      }),
    );
    for (const [target, warmth] of warmthOfTrial(costs)) {
      const cut = shortWarmUp(known.get(`${target} ${trial}`));
      found.get(target)?.set(trial, cut === null ? warmth : { warm: false, reason: cut });
    }
  }
  return found;
}

/** By round; what a host that died and was started again did before is another instance's. */
function costsOf(measured: readonly Sample[]): CostByRound {
  const last = measured.at(-1)?.instanceId ?? null;
  return new Map(
    measured
      .filter(({ instanceId }) => instanceId === last)
      .flatMap(({ roundIndex, cpuMs, lastByteMs }) => {
        const cost = cpuMs ?? lastByteMs;
        return cost === null ? [] : [[roundIndex, cost] as const];
      }),
  );
}

function shortWarmUp(warmUp: WarmUp | undefined): string | null {
  if (warmUp === undefined) return null;
  const { exchanges, needed } = warmUp;
  if (needed === null) return `got ${exchanges} requests of warm-up, too few to find out how many it needs`;
  return exchanges < needed ? `got ${exchanges} of the ${needed} requests that warm it up` : null;
}
