export { sidesOf } from "./define.ts";
export { discoverExperiments } from "./discover.ts";
export { createExperimentsPage, type ExperimentsPage } from "./page.ts";
export { readToResume } from "./resume.ts";
export { type ExperimentOptions, type ExperimentsDone, runExperiments } from "./run.ts";
