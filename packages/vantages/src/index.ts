export { vantageName } from "@evenbench/load/k6";
export { collectLoad, collectLogs } from "./collect.ts";
export * from "./make-plan.ts";
export { isLoopback } from "./origins.ts";
export { LOGS_FOLDER, type Plan, planSchema } from "./plan.ts";
export { type Place, parsePlaces, runVantages } from "./play.ts";
export { readPlan } from "./read-plan.ts";
export { writePlan } from "./write-plan.ts";
