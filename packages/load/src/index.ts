export type { StageSummary } from "./analysis/stage-summary.ts";
export * from "./options.ts";
export { parseCondition } from "./plan/condition.ts";
export { createLoadReport, type LoadReport } from "./report/create-report.ts";
export { runLoad } from "./run-load.ts";
export { sweepAdditions, sweepRun } from "./sweep-of-run.ts";
