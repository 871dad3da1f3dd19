// What a run is made of, for experiments, loads and profiles: they measure by the same rules, but choose
// sides and requests themselves.
export type { CaseRequest } from "./case-work.ts";
export {
  type Instance,
  type InstanceSettings,
  logFileIn,
  serveLocal,
  startInstance,
} from "./instance.ts";
export { type ClaimedMachine, claimMachine, describeMachine, watchClient } from "./machine.ts";
export {
  comparisons,
  deriveSeed,
  describeTargets,
  firstPlan,
} from "./plan.ts";
export { progressReporter } from "./progress.ts";
export { expectationOf, type ProofSession, type Proved, prove, readDeployables } from "./prove.ts";
export { type Ended, type MeasuringSession, measure } from "./session.ts";
export { type MeasuredTarget, runTargetOf } from "./targets.ts";
export { hasTransfer, transferRequest } from "./transfer.ts";
export { type ConnectionWarmUp, warmConnection } from "./warm-up.ts";
export { type NeedOfTarget, usualNeed, WarmUpNeeds, WarmUpStore } from "./warm-up-needs.ts";
