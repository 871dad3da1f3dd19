export * from "./accounts.ts";
export {
  EXPERIMENTS_FILE,
  eachLine,
  LOAD_FILE,
  ownFolder,
  PROVIDER_CPU_FILE,
  ResultsError,
  RUN_FILE,
  readRegular,
  SAMPLES_FILE,
  systemReason,
} from "./files.ts";
export * from "./read.ts";
export type * from "./schema/experiment.ts";
export { experimentsSchema } from "./schema/experiment.ts";
export type * from "./schema/load.ts";
export type * from "./schema/profile.ts";
export { profileSchema } from "./schema/profile.ts";
export type * from "./schema/run.ts";
export { MOST_CASES, MOST_TARGETS } from "./schema/run.ts";
export type * from "./schema/sample.ts";
export type * from "./schema/summary.ts";
export { summarySchema } from "./schema/summary.ts";
export * from "./write.ts";
