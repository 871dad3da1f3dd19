/** Little's law on a stage's own numbers: requests under way = rate × time under way (Little, 1961). */
export interface LittlesLaw {
  /** Mean number under way, as the client counted it over time. */
  readonly counted: number;
  /** The rate of answers times their mean time. */
  readonly expected: number;
  readonly holds: boolean;
}

const TOLERANCE = 0.05;

/**
 * Holds the client's own count over time against the time stamps: they part where the client is the
 * bottleneck, since its stamps miss time inside it. Tolerance: 5 %, and the window's edges.
 */
export function littlesLaw(
  counted: number,
  answersPerMs: number,
  meanMs: number,
  answers: number,
): LittlesLaw {
  const expected = answersPerMs * meanMs;
  const largest = Math.max(counted, expected);
  const tolerance = largest * (TOLERANCE + largest / Math.max(answers, 1));
  return { counted, expected, holds: Math.abs(counted - expected) <= tolerance };
}
