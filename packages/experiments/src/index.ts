export { sidesOf } from "./define.ts";
export { discoverExperiments } from "./discover.ts";
export { claimWords } from "./judge.ts";
export { leadFigure, shown } from "./page.ts";
export { runExperiments } from "./run.ts";
