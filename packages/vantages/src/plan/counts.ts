import type { RunPlan } from "@evenbench/results";
import type { PlannedCase, VantagePlan } from "../protocol/plan.ts";

export interface Share {
  readonly requests: number;
  readonly bytes: number;
}

export function shareOfTarget(
  { trials, roundsPerTrial, warmUpExchanges }: RunPlan,
  { request, transfer }: PlannedCase,
): Share {
  const rounds = roundsPerTrial ?? 0;
  const work = trials.minimum * ((warmUpExchanges ?? 0) + rounds);
  const text = transfer === null ? 0 : trials.minimum * rounds;
  return {
    requests: work + text,
    bytes: work * request.expected.bytes + text * (transfer?.expected.bytes ?? 0),
  };
}

/** What one client does: counts exactly; its time by what preflight saw from here. */
export function countsOf(
  run: RunPlan,
  cases: readonly PlannedCase[],
  seenMs: Readonly<Record<string, Readonly<Record<string, number>>>>,
): VantagePlan["counts"] {
  const original = new Map(run.targets.map(({ name, copyOf }) => [name, copyOf ?? name]));
  const counts = { trials: run.trials.minimum * cases.length, exchanges: 0, bytes: 0, expectedMs: 0 };
  for (const planned of cases) {
    const { requests, bytes } = shareOfTarget(run, planned);
    for (const target of planned.targets) {
      counts.exchanges += requests;
      counts.bytes += bytes;
      counts.expectedMs += requests * (seenMs[planned.id]?.[original.get(target) ?? target] ?? 0);
    }
  }
  return counts;
}
