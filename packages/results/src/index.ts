export * from "./error.ts";
export { EXPERIMENTS_FILE, experimentsSchema, readExperiments, writeExperiments } from "./experiments.ts";
export * from "./provider-cpu.ts";
export * from "./read-load.ts";
export * from "./read-run.ts";
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
export { runSchema, sampleSchema, summarySchema } from "./schema.ts";
