export { parseCondition } from "./condition.ts";
export { UNMEASURED_SHARE } from "./engine/window.ts";
export * from "./options.ts";
export { firstPlan } from "./plan.ts";
export { createLoadReport, sweepAdditions } from "./report/create-report.ts";
export { formatLoad, offeredBy } from "./report/data.ts";
export { loadTable } from "./report/numbers.ts";
export { runLoad, sweepRun } from "./run-load.ts";
export type { StageSummary } from "./stage-summary.ts";
