import { readSource } from "@evenbench/host";
import { RUN_FILE, RUN_SCHEMA_VERSION, type Run, type RunPlan, type Sample } from "@evenbench/results";
import type { Recorder, RecordFormat } from "./recorder.ts";
import type { RecordShell } from "./session.ts";

/** Puts `run.json` and its samples into a folder. */
export type RunRecorder = Recorder<Run, Sample>;

/** With what shows whether the samples are still those that the run wrote. */
export const RUN_FORMAT: RecordFormat<Run> = { file: RUN_FILE, ofSamples: (samples) => ({ samples }) };

/** `run.json` before anything has happened. */
export function firstEntry(shell: RecordShell, plan: RunPlan): Run {
  return {
    schemaVersion: RUN_SCHEMA_VERSION,
    ...shell,
    source: readSource(),
    samples: null,
    plan,
    identities: {},
    deployables: {},
    usage: [],
    warmUps: [],
    clientLoad: [],
    timelines: [],
    coldStarts: [],
  };
}
