// What a run is made of, for experiments, loads and profiles: they measure by the same rules, but choose
// sides and requests themselves.
export { type CaseRequest, type CaseSession, CaseWork } from "./case-work.ts";
export { type Instance, type InstanceSettings, probeOf, serveLocal, startInstance } from "./instance.ts";
export { type ClaimedMachine, claimMachine, describeMachine, watchClient } from "./machine.ts";
export {
  type CaseCost,
  comparisons,
  DIGEST_EVERY,
  deriveSeed,
  describeTargets,
  expectCost,
  firstPlan,
  LEAST_TRIALS,
  MOST_TRIALS,
  usualNeed,
  withPlatforms,
} from "./plan.ts";
export { progressReporter } from "./progress.ts";
export { expectationOf, type Proved, prove, readDeployables } from "./prove.ts";
export type { Ended, MeasurementRecord, Recorder, RecordFormat } from "./recorder.ts";
export {
  firstEntry,
  type Measured,
  type MeasuringSession,
  measure,
  type RecordShell,
  RUN_FORMAT,
} from "./session.ts";
export { type MeasuredTarget, runTargetOf } from "./targets.ts";
export { hasTransfer, transferRequest } from "./transfer.ts";
export { CaseCourse, measureInTurns, Purse } from "./turns.ts";
export { type ConnectionWarmUp, warmConnection } from "./warm-up.ts";
export { WarmUpNeeds } from "./warm-up-needs.ts";
export { type NeedOfTarget, type RememberedNeeds, rememberNeeds, WarmUpStore } from "./warm-up-store.ts";
