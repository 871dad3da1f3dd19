import type { WholeResponse } from "./response.ts";

/** What one target answered to one case, once after the other. */
export interface Answers {
  readonly target: string;
  readonly responses: readonly WholeResponse[];
}
