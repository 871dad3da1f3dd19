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
 * Holds the count over time, which the client keeps as it sends and receives, against the time stamps of the exchanges.
 * They part where the client itself is a bottleneck: then its stamps miss time that requests spent inside it.
 *
 * The tolerance is 5 %, and what the window's edges can do: as much as is under way there, divided by all answers.
 *
 * @param answersPerMs answers in the window, divided by its length.
 * @param meanMs mean time from the sending to the last byte.
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
