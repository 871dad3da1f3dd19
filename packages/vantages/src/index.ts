export { K6_VERSION } from "../get-k6.mjs";
export { type Collected, type CollectOptions, collectLogs, timesOf } from "./collect/collect.ts";
export {
  collecting,
  HttpVersions,
  incomplete,
  outcomeOf,
  type PlanClient,
  PlanLogs,
  type Problem,
  refuse,
} from "./collect/plan-logs.ts";
export { readLog } from "./collect/read-log.ts";
export { askedFor, formatAsked, type PlatformShare } from "./plan/asked.ts";
export {
  bundleForK6,
  bundleScript,
  nameOfPlan,
  parsePlan,
  planHash,
  planText,
  type ReadPlan,
  readPlan,
} from "./plan/embed.ts";
export { kubernetesFile, secretCommand, testRun } from "./plan/kubernetes.ts";
export {
  type MadePlan,
  makePlan,
  plainly,
  reachable,
  tokenOf,
  type VantageOptions,
} from "./plan/make-plan.ts";
export { collectPart, joinParts, tokenPart } from "./plan/readme.ts";
export { writePlan, writePlanFiles } from "./plan/write-plan.ts";
export { clientNonce, type ExchangeLine, lineSchema, planSha256, vantageName } from "./protocol/line.ts";
export { LOGS_FOLDER, PLAN_FILE, plannedRequest, planSchema } from "./protocol/plan.ts";
export { type Place, parsePlaces } from "./run/at.ts";
export { findK6, HOW_TO_GET_K6 } from "./run/find-k6.ts";
export type { ClientTerms, Playable } from "./run/play-at.ts";
export { clientEnvironment, K6_ARGUMENTS } from "./run/play-at.ts";
export { runVantages, type VantageOutcome } from "./run/run-vantages.ts";
export { vantagesPlayable } from "./run/vantages-playable.ts";
