export { sidesOf } from "./define.ts";
export { discoverExperiments } from "./discover.ts";
export { leadFigure } from "./page.ts";
export { runExperiments } from "./run.ts";
export { shown } from "./shown.ts";
