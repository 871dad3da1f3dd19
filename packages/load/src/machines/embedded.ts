import type { K6StagePlan } from "../k6/stage-plan.ts";

export interface EmbeddedLoadPlan {
  readonly hash: string;
  readonly slotMs: number;
  readonly stages: readonly (K6StagePlan & { readonly isClosed: boolean })[];
}
