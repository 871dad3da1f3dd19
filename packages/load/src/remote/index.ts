export { collectLoad, collectLogs } from "./collect.ts";
export { vantageName } from "./lines.ts";
export * from "./make-plan.ts";
export { isLoopback } from "./origins.ts";
export { LOGS_FOLDER, type Plan, planSchema } from "./plan.ts";
export { findK6, type Place, parsePlaces, runVantages } from "./play.ts";
export { readPlan } from "./read-plan.ts";
export { writePlan } from "./write-plan.ts";
