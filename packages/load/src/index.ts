export { parseCondition } from "./condition.ts";
export { UNMEASURED_SHARE } from "./engine/window.ts";
export { offeredBy } from "./offered.ts";
export * from "./options.ts";
export { firstPlan } from "./plan.ts";
export { createLoadReport } from "./report/create-report.ts";
export { loadsIn } from "./report/read.ts";
export { runLoad } from "./run-load.ts";
export type { StageSummary } from "./stage-summary.ts";
