export { type Collected, type CollectOptions, collectLogs } from "./collect.ts";
export { collecting } from "./collecting-folder.ts";
export { incomplete, type PlanClient, PlanLogs, type Problem } from "./plan-logs.ts";
export { readLog } from "./read-log.ts";
export { refuse } from "./refuse.ts";
export { timesOf } from "./sample-of.ts";
