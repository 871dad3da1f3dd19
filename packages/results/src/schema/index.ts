// Parts of the shapes, for packages that write files of their own beside a run's.
export { bodyRules, count, golden, identity, milliseconds, strict, texts } from "@evenbench/core/schema";
export { loadPlan, openLoad } from "./load.ts";
export { askedFor, runPlan, source } from "./run.ts";
export { exchange, sampleError, samplePhase } from "./sample.ts";
