export { collectLoad, collectLogs } from "./collect.ts";
export { vantageName } from "./lines.ts";
export * from "./make-plan.ts";
export { LOGS_FOLDER, type Plan, planSchema, readPlan } from "./plan.ts";
export { findK6, parsePlaces, runVantages } from "./play.ts";
export { writePlan } from "./write-plan.ts";
