export { K6_VERSION } from "../../get-k6.mjs";
export { type Collected, type CollectTerms, collectLoad, collectLogs } from "./collect.ts";
export { type ExchangeLine, type RequestLine, vantageName } from "./lines.ts";
export { linesIn } from "./logs.ts";
export * from "./make-plan.ts";
export { LOGS_FOLDER, planHash, planSchema, planText, readPlan } from "./plan.ts";
export * from "./play.ts";
export * from "./rate.ts";
export { bundleScript, writePlan } from "./write-plan.ts";
