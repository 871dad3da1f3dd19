export type { StageSummary } from "./analysis.ts";
export { parseCondition } from "./condition.ts";
export * from "./options.ts";
export { createLoadReport, sweepAdditions } from "./report/create-report.ts";
export { formatLoad, offeredBy } from "./report/data.ts";
export { loadTable } from "./report/numbers.ts";
export { runLoad, sweepRun } from "./run-load.ts";
