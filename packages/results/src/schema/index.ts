// Parts of the shapes, for packages that write files of their own beside a run's.
export { bodyRules, identity } from "./contracts.ts";
export { loadPlan } from "./load.ts";
export { runPlan, source } from "./run.ts";
export { exchange, sampleError, samplePhase } from "./sample.ts";
export { count, milliseconds, strict, texts } from "./strict.ts";
