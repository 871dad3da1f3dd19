export { type Capacity, findCapacity } from "./analysis/capacity.ts";
export { findSaturation, type LevelSummary, type Saturation } from "./analysis/saturation.ts";
export { latencyOf, type StageSummary } from "./analysis/stage-summary.ts";
export { load } from "./load.ts";
export * from "./options.ts";
export { formatCondition, parseCondition } from "./plan/condition.ts";
export { createLoadReport, type LoadReport } from "./report/create-report.ts";
export { type CaseLoadReport, type LoadData, readLoadData, type SubjectReport } from "./report/data.ts";
