export { K6_VERSION } from "../get-k6.mjs";
export { type Collected, type CollectTerms, collectLoad, collectLogs } from "./collect.ts";
export { type ExchangeLine, lineSchema, type RequestLine, vantageName } from "./lines.ts";
export { readLine } from "./logs.ts";
export {
  type MadePlan,
  makePlan,
  makeRatePlan,
  type RateOptions,
  type VantageOptions,
} from "./make-plan.ts";
export { LOGS_FOLDER, planHash, planSchema, planText, readPlan } from "./plan.ts";
export {
  clientEnvironment,
  findK6,
  HOW_TO_GET_K6,
  K6_ARGUMENTS,
  parsePlaces,
  runVantages,
  startProgram,
  type VantageOutcome,
} from "./play.ts";
export {
  betweenTimes,
  LATE_MS,
  loadSampleOf,
  rateOf,
  type StagePlan,
  summariseRequests,
  UNMEASURED_SHARE,
} from "./rate.ts";
export { askedFor, bundleRateScript, bundleScript, writePlan } from "./write-plan.ts";
