import type { K6StagePlan } from "../k6/stage-plan.ts";

/** What of a plan a client needs. */
export interface EmbeddedLoadPlan {
  readonly hash: string;
  readonly slotMs: number;
  readonly stages: readonly (K6StagePlan & { readonly isClosed: boolean })[];
}
