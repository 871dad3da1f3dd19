import type { Run } from "./schema/run.ts";
import type { Sample } from "./schema/sample.ts";

/** Less than any clock here tells apart, and more than sums of times are rounded by. */
const NANOSECOND_MS = 1e-6;

/**
 * What is wrong with a sample beside the others of its run: what no run can have measured would count all the
 * same. null: nothing.
 */
export function sampleCheck({ plan, vantages }: Run): (sample: Sample) => string | null {
  const golden = new Map(plan.cases.map(({ id, golden }) => [id, golden?.status]));
  const seen = new Map<string, Set<number>>();
  return ({ caseId, target, trial, phase, roundIndex, ...exchange }) => {
    const place = `${phase} ${trial} ${JSON.stringify([caseId, target])}`;
    const rounds = seen.get(place) ?? new Set();
    if (rounds.has(roundIndex)) return "repeats the case, target, trial, phase and round of one before it";
    seen.set(place, rounds.add(roundIndex));
    if (vantages === undefined && phase !== "cold" && trial >= plan.trials.maximum)
      return `has trial ${trial + 1}, and the plan has ${plan.trials.maximum} at most`;
    const { firstByteMs, lastByteMs, status, error } = exchange;
    if (firstByteMs !== null && lastByteMs !== null && firstByteMs > lastByteMs + NANOSECOND_MS)
      return "has its first byte after its last";
    const expected = phase === "transfer" ? 200 : golden.get(caseId);
    const isFine = expected === undefined ? status !== null && status < 400 : status === expected;
    return error === null && !isFine ? `has status ${status}, and no error` : null;
  };
}
