export { K6_VERSION } from "../get-k6.mjs";
export * from "./collect/index.ts";
export { askedFor, formatAsked, type PlatformShare } from "./plan/asked.ts";
export { bundleForK6, bundleScript } from "./plan/bundle-script.ts";
export { nameOfPlan, planHash, planText } from "./plan/embed.ts";
export { kubernetesFile, secretCommand, testRun } from "./plan/kubernetes.ts";
export {
  type MadePlan,
  makePlan,
  plainly,
  reachable,
  tokenOf,
  type VantageOptions,
} from "./plan/make-plan.ts";
export { parsePlan, type ReadPlan, readPlan } from "./plan/read-plan.ts";
export { collectPart, joinParts, tokenPart } from "./plan/readme-parts.ts";
export { writePlan, writePlanFiles } from "./plan/write-plan.ts";
export {
  clientNonce,
  type ExchangeLine,
  LOGS_FOLDER,
  lineSchema,
  PLAN_FILE,
  plannedRequest,
  planSchema,
  planSha256,
  vantageName,
} from "./protocol/index.ts";
export { type Place, parsePlaces } from "./run/at.ts";
export { clientEnvironment, K6_ARGUMENTS } from "./run/client-command.ts";
export { findK6, HOW_TO_GET_K6 } from "./run/find-k6.ts";
export type { ClientTerms, Playable } from "./run/playable.ts";
export { runVantages, type VantageOutcome } from "./run/run-vantages.ts";
export { vantagesPlayable } from "./run/vantages-playable.ts";
