export const DEFAULT_SUITE = "published";
export const ALL_CASES = "all";

export interface CaseOptions {
  readonly case?: readonly string[];
  readonly suite?: string;
  readonly app?: readonly string[];
}
