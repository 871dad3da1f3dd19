/** What a run measures where nobody chooses. */
export const DEFAULT_SUITE = "published";
/** Every case there is. */
export const ALL_CASES = "all";

/** The options by which a user says what to measure. */
export interface CaseOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly app?: readonly string[];
}
