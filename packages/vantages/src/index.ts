export * from "./collect/index.ts";
export { askedFor } from "./plan/asked.ts";
export { type MadePlan, makePlan, type VantageOptions } from "./plan/make-plan.ts";
export { type ReadPlan, readPlan } from "./plan/read-plan.ts";
export { writePlan } from "./plan/write-plan.ts";
export * from "./protocol/index.ts";
export { type Place, parsePlaces } from "./run/at.ts";
export { findK6, HOW_TO_GET_K6 } from "./run/find-k6.ts";
export { runVantages, type VantageOutcome } from "./run/run-vantages.ts";
