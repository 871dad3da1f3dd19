import type { WarmInstances } from "./warm-instances.ts";

/** Something that was measured on one instance of a target. */
interface OfInstance {
  readonly target: string;
  readonly trial: number;
}

/**
 * What was measured on warm instances: of targets of which at least half of the trials were warm, those; of
 * others, all.
 */
export function keepWarm<Item extends OfInstance>(
  items: readonly Item[],
  warm: WarmInstances,
): readonly Item[] {
  const cold = new Set([...warm.keys()].filter((target) => isMostlyCold(warm, target)));
  return items.filter(({ target, trial }) => cold.has(target) || isWarm(warm, target, trial));
}

/** Whether fewer than half of a target's trials were warm: then it has no verdict. */
export function isMostlyCold(warm: WarmInstances, target: string): boolean {
  const trials = [...(warm.get(target)?.values() ?? [])];
  return trials.filter((trial) => trial.warm).length < trials.length / 2;
}

function isWarm(warm: WarmInstances, target: string, trial: number): boolean {
  return warm.get(target)?.get(trial)?.warm ?? true;
}
