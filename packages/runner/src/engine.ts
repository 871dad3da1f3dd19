// What a run is made of, for experiments, loads and profiles: they measure by the same rules, but choose
// sides and requests themselves.
export { type CaseRequest, type CaseSession, CaseWork } from "./case-work.ts";
export { type ClaimedMachine, claimMachine } from "./claim-machine.ts";
export { watchClient } from "./client-meter.ts";
export { type Instance, type InstanceSettings, probeOf, serveLocal, startInstance } from "./instance.ts";
export { describeMachine } from "./machine.ts";
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
export { expectationOf, type Proved, prove } from "./prove.ts";
export { readDeployables } from "./read-deployables.ts";
export type { Ended, MeasurementRecord, Recorder, RecordFormat } from "./recorder.ts";
export { firstEntry, RUN_FORMAT } from "./run-record.ts";
export { type Measured, type MeasuringSession, measure, type RecordShell } from "./session.ts";
export { runTargetOf, type Subject } from "./targets.ts";
export { hasTransfer, transferRequest } from "./transfer.ts";
export { CaseCourse, measureInTurns, Purse } from "./turns.ts";
export { type ConnectionWarmUp, warmConnection } from "./warm-up.ts";
export { WarmUpNeeds } from "./warm-up-needs.ts";
export { type NeedSubject, type RememberedNeeds, rememberNeeds, WarmUpStore } from "./warm-up-store.ts";
