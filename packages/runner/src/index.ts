// A run, and what it is made of: experiments, loads and profiles measure by the same rules, but choose
// sides and requests themselves.

export { explainThrown, quoteBlamedLogs } from "./blame.ts";
export { describeClockStep, RunClock } from "./clock.ts";
export { type AppComparison, comparisons } from "./comparisons.ts";
export { distrustAccounts } from "./cpu-watch.ts";
export { openInspectorAtStart, withInspected } from "./inspected-target.ts";
export * from "./instance.ts";
export { type RegisteredRun, registerRun, watchClient } from "./machine.ts";
export type { MeasuredCase } from "./measured-case.ts";
export { MEMORY_MS, recordMemory } from "./memory.ts";
export { type OpenFiles, refuseClientLimit } from "./open-files.ts";
export * from "./options.ts";
export * from "./own-targets.ts";
export {
  DIGEST_EVERY,
  describeTargets,
  firstRunPlan,
  runPlanOf,
  usualTotal,
} from "./plan.ts";
export type { CaseRequest } from "./planned-case.ts";
export { expectationOf, type PreflightOutcome, withCache } from "./preflight-outcome.ts";
export { type ProgressReporter, progressReporter } from "./progress.ts";
export { checkTargets, type ProofSession } from "./prove.ts";
export { collectAccounts } from "./provider-cpu.ts";
export type { Ended } from "./recorder.ts";
export { run } from "./run.ts";
export { deriveSeed } from "./seed.ts";
export { type FinishedMeasurement, type MeasuringSession, measure } from "./session.ts";
export { startedAs } from "./start-ups.ts";
export * from "./targets.ts";
export { hasTransfer, transferRequest } from "./transfer.ts";
export { HEAVY_BYTES_PER_SECOND } from "./trial-notes.ts";
export { type ConnectionWarmUp, warmConnection } from "./warm-up.ts";
export * from "./warm-up-needs.ts";
