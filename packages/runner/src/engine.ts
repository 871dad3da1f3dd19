// What a run is made of, for experiments and loads: they measure by the same rules, but choose sides and requests themselves.
export { runCase } from "./case.ts";
export { type CaseRequest, CaseWork, type Session } from "./case-work.ts";
export { watchClient } from "./client-meter.ts";
export { type Instance, type InstanceSettings, serveLocal, startInstance } from "./instance.ts";
export { markMeasuring } from "./lock.ts";
export { type CoresApart, describeMachine, keepCoresApart } from "./machine.ts";
export {
  type CaseCost,
  DIGEST_EVERY,
  deriveSeed,
  LEAST_GENERATIONS,
  worthwhileGenerationMs,
} from "./plan.ts";
export { progressReporter } from "./progress.ts";
export { Recorder } from "./recorder.ts";
export { firstEntry, ownVersion } from "./run.ts";
export { type Contender, runTargetOf } from "./targets.ts";
export { verify } from "./verify.ts";
