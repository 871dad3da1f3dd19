import {
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadPlan,
  type LoadRun,
  type LoadSample,
  type LoadStage,
} from "@evenbench/results";
import type { MeasuringSession, Recorder, RecordFormat, RecordShell } from "@evenbench/runner/engine";

export type LoadMeasuring = MeasuringSession<LoadRun, LoadSample>;
type LoadRecorder = Recorder<LoadRun, LoadSample>;

export const LOAD_FORMAT: RecordFormat<LoadRun> = { file: LOAD_FILE, ofSamples: () => ({}) };

export function firstEntry(shell: RecordShell, plan: LoadPlan): LoadRun {
  return { schemaVersion: LOAD_SCHEMA_VERSION, ...shell, plan, identities: {}, stages: [] };
}

export async function recordStage(recorder: LoadRecorder, stage: LoadStage): Promise<void> {
  recorder.flush();
  recorder.add("stages", stage);
  await recorder.save();
}
