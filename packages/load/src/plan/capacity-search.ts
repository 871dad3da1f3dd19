export interface SearchStep {
  readonly perSecond: number;
  readonly held: boolean;
}

export interface SearchBounds {
  readonly first: number;
  /** Ends when the lowest rate that failed is within this factor of the highest that held, such as 1.05. */
  readonly factor: number;
  readonly mostSteps: number;
}

export interface Bracket {
  readonly held: number | null;
  readonly failed: number | null;
}

/** How far a rate may go up or down while only one side of the bracket is known. */
const STRIDE = 1.5;

/**
 * The bracket that steps leave. A rate that held counts only below every rate that failed: what held above
 * one that failed was luck.
 */
export function bracketOf(steps: readonly SearchStep[]): Bracket {
  const failed = steps.filter(({ held }) => !held).map(({ perSecond }) => perSecond);
  const lowestFailed = failed.length > 0 ? Math.min(...failed) : null;
  const held = steps
    .filter((step) => step.held && (lowestFailed === null || step.perSecond < lowestFailed))
    .map(({ perSecond }) => perSecond);
  return { held: held.length > 0 ? Math.max(...held) : null, failed: lowestFailed };
}

export function nextRate(steps: readonly SearchStep[], bounds: SearchBounds): number | null {
  if (steps.length >= bounds.mostSteps) return null;
  const { held, failed } = bracketOf(steps);
  if (held === null && failed === null) return bounds.first;
  if (held === null) return (failed ?? bounds.first) / STRIDE;
  if (failed === null) return held * STRIDE;
  return failed / held <= bounds.factor ? null : Math.sqrt(held * failed);
}
