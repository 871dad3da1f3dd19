import type { CaseManifest, Identity } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import {
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadPlan,
  type LoadRun,
  type LoadSample,
  type LoadStage,
} from "@evenbench/results";
import type {
  MeasuringSession,
  Recorder,
  RecordFormat,
  RecordShell,
  RememberedNeeds,
} from "@evenbench/runner/engine";
import type { LoadOptions, SubjectChoice } from "./options.ts";

export interface LoadSession {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly measuring: LoadMeasuring;
  readonly identities: Readonly<Record<string, Identity>>;
}

export interface CaseLoad {
  readonly session: LoadSession;
  readonly manifest: CaseManifest;
  /** What each target has to answer. */
  expectedOf(choice: SubjectChoice): Expectation;
  readonly choices: readonly SubjectChoice[];
  readonly warmUps: RememberedNeeds;
}

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
