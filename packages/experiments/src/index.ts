export { sidesOf } from "./define.ts";
export { discoverExperiments } from "./discover.ts";
export { createExperimentsPage, type ExperimentsPage } from "./page.ts";
export { type ExperimentOptions, readToResume, runExperiments } from "./run.ts";
