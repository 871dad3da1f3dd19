export { type Collected, type CollectOptions, collectLogs } from "./collect.ts";
export { collecting } from "./collecting-folder.ts";
export { HttpVersions } from "./http-versions.ts";
export { outcomeOf } from "./outcome.ts";
export { incomplete, type PlanClient, PlanLogs, type Problem } from "./plan-logs.ts";
export { readLog } from "./read-log.ts";
export { refuse } from "./refuse.ts";
export { timesOf } from "./sample-of.ts";
