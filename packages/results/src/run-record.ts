import type { RecordFile } from "./read-files.ts";
import { RUN_FILE } from "./run-folder.ts";
import { RUN_SCHEMA_VERSION, type Run, runSchema } from "./schema/run.ts";

/** `run.json`, as it is read. */
export const RUN_RECORD: RecordFile<Run> = {
  name: RUN_FILE,
  schema: runSchema,
  version: RUN_SCHEMA_VERSION,
  what: "run",
  ifMissing: "Give a run's own folder, such as results/20261121-093015.",
  ifInvalid: "Restore it or measure again; the samples beside it are untouched.",
};
