export { K6_VERSION } from "../get-k6.mjs";
export { type CollectOptions, collectLogs, timesOf } from "./collect/collect.ts";
export {
  ClientLog,
  type Collected,
  type CollectTerms,
  collecting,
  incomplete,
  outcomeOf,
  PlanLogs,
  type Problem,
} from "./collect/plan-logs.ts";
export { askedByPlatform, askedFor, megabytes, type PlatformShare } from "./plan/asked.ts";
export {
  bundleForK6,
  bundleScript,
  nameOfPlan,
  planHash,
  planText,
  type ReadPlan,
  readPlan,
} from "./plan/embed.ts";
export { secretCommand } from "./plan/kubernetes.ts";
export {
  type MadePlan,
  makePlan,
  plainly,
  proveFromHere,
  reachable,
  tokenOf,
  type VantageOptions,
} from "./plan/make-plan.ts";
export { planReadme } from "./plan/readme.ts";
export { writePlan, writePlanFiles } from "./plan/write-plan.ts";
export {
  type ExchangeLine,
  lineSchema,
  type RateBeginLine,
  type RateEndLine,
  type RateExchangeLine,
  rateLineSchema,
  vantageName,
} from "./protocol/line.ts";
export {
  LOGS_FOLDER,
  PLAN_FILE,
  type PlannedStage,
  planSchema,
  type RatePlan,
  SCRIPT_FILES,
} from "./protocol/plan.ts";
export { type Place, parsePlaces } from "./run/at.ts";
export { findK6, HOW_TO_GET_K6 } from "./run/find-k6.ts";
export type { ClientTerms, Playable } from "./run/play-at.ts";
export { clientEnvironment, K6_ARGUMENTS } from "./run/play-at.ts";
export { playableOf } from "./run/playable.ts";
export { runVantages, type VantageOutcome } from "./run/run-vantages.ts";
