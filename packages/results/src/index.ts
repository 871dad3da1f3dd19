export * from "./error.ts";
export * from "./experiments.ts";
export * from "./join-accounts.ts";
export * from "./provider-cpu.ts";
export * from "./read-gallery.ts";
export * from "./read-load.ts";
export { type ReadRun, readRun } from "./read-run.ts";
export * from "./read-summary.ts";
export { ownFolder, readRegular } from "./regular-file.ts";
export {
  createRunFolder,
  LOAD_FILE,
  RUN_FILE,
  type RunFolder,
  SAMPLES_FILE,
  writeRun,
  writeWhole,
} from "./run-folder.ts";
export * from "./sample-table.ts";
export * from "./sample-writer.ts";
export type * from "./schema/experiment.ts";
export { EXPERIMENTS_SCHEMA_VERSION, experimentsSchema } from "./schema/experiment.ts";
export type * from "./schema/gallery.ts";
export type * from "./schema/load.ts";
export { LOAD_SCHEMA_VERSION } from "./schema/load.ts";
export type * from "./schema/profile.ts";
export { profileSchema } from "./schema/profile.ts";
export type * from "./schema/provider-cpu.ts";
export { providerAccountSchema } from "./schema/provider-cpu.ts";
export type * from "./schema/run.ts";
export { MOST_CASES, MOST_TARGETS, RUN_SCHEMA_VERSION } from "./schema/run.ts";
export type * from "./schema/sample.ts";
export type * from "./schema/summary.ts";
export { summarySchema } from "./schema/summary.ts";
export type * from "./schema/usage.ts";
export type * from "./schema/vantage.ts";
