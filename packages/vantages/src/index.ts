export { vantageName } from "@evenbench/load/k6";
export { type Collected, collectLoad, collectLogs, logsOf } from "./collect.ts";
export * from "./identities.ts";
export * from "./make-plan.ts";
export { planSchema, type VantagePlan } from "./plan.ts";
export { parsePlaces, runVantages } from "./play.ts";
export { type ReadPlan, readPlan } from "./read-plan.ts";
export * from "./token.ts";
export { writePlan } from "./write-plan.ts";
