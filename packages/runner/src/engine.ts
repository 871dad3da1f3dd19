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
  withPlatforms,
} from "./plan.ts";
export { progressReporter } from "./progress.ts";
export { expectationOf, type ProofSession, type Proved, prove, readDeployables } from "./prove.ts";
export type { Ended, Recorder, RecordFormat } from "./recorder.ts";
export {
  type Measured,
  type MeasuringSession,
  measure,
  type RecordShell,
} from "./session.ts";
export { type MeasuredTarget, runTargetOf } from "./targets.ts";
export { hasTransfer, transferRequest } from "./transfer.ts";
export { type ConnectionWarmUp, warmConnection } from "./warm-up.ts";
export { usualNeed, WarmUpNeeds } from "./warm-up-needs.ts";
export { type NeedOfTarget, rememberNeeds, WarmUpStore } from "./warm-up-store.ts";
