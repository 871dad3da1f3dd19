export type { StageSummary } from "./analysis/stage-summary.ts";
export { parseCondition } from "./condition.ts";
export * from "./options.ts";
export { createLoadReport, type LoadReport } from "./report/create-report.ts";
export { loadTable } from "./report/rows.ts";
export { runLoad } from "./run-load.ts";
export { sweepAdditions, sweepRun } from "./sweep-of-run.ts";
