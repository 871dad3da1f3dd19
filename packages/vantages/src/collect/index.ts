export { type Collected, type CollectOptions, collectLogs } from "./collect.ts";
