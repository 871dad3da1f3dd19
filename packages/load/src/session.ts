import { type BuildRecord, type CaseManifest, type Identity, pathWith } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import {
  LOAD_FILE,
  LOAD_SCHEMA_VERSION,
  type LoadPlan,
  type LoadRun,
  type LoadSample,
  type LoadStage,
} from "@evenbench/results";
import {
  type MeasuredTarget,
  type MeasuringSession,
  type Proved,
  type Recorder,
  type RecordFormat,
  type RecordShell,
  usualNeed,
  type WarmUpNeeds,
} from "@evenbench/runner/engine";
import type { LoadOptions, TargetChoice } from "./options.ts";

export interface LoadSession {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly measuring: LoadMeasuring;
  readonly identities: Readonly<Record<string, Identity>>;
}

export interface CaseLoad {
  readonly session: LoadSession;
  readonly manifest: CaseManifest;
  expectedOf(choice: TargetChoice): Expectation;
  readonly choices: readonly TargetChoice[];
  readonly warmUps: WarmUpNeeds;
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

export interface CaseNeeds {
  readonly needs: WarmUpNeeds;
  readonly setUpMs: number;
  readonly searchMs: number;
}

interface Known extends Pick<Proved, "identities" | "seen"> {
  readonly deployables: Readonly<Record<string, BuildRecord | null>>;
}

export function warmUpTarget({ target, parameters }: TargetChoice, { path }: CaseManifest): MeasuredTarget {
  return { name: `${target.name} ${pathWith(path, parameters)}`, target, copyOf: null };
}

export function processesOf({ instances, workers }: TargetChoice): number {
  return instances * workers;
}

export function needsOfCase(
  session: Pick<MeasuringSession<never>, "needsOf">,
  manifest: CaseManifest,
  choices: readonly TargetChoice[],
  known: Known,
): CaseNeeds {
  const targets = choices.map((choice) => warmUpTarget(choice, manifest));
  const { exchangeMs, startMs } = known.seen[manifest.id] ?? { exchangeMs: {}, startMs: 0 };
  const needs = session.needsOf(
    choices.flatMap(({ target, parameters }, index) => {
      // Nothing shows whether a server that knows nothing of us is still the same build the next time.
      if (target.ownServer !== undefined) return [];
      const identity = known.identities[target.name] as Identity;
      const isUsual = Object.keys(parameters).length === 0;
      return {
        name: targets[index]?.name ?? "",
        caseId: manifest.id,
        path: pathWith(manifest.path, parameters),
        identity,
        build: known.deployables[target.name] ?? null,
        usual: isUsual ? usualNeed(manifest, identity, exchangeMs[target.name]) : null,
      };
    }),
  );
  const byName = choices.map(
    ({ target }, index) => [targets[index]?.name, exchangeMs[target.name] ?? 0] as const,
  );
  const seen = { exchangeMs: Object.fromEntries(byName), startMs };
  const ofAll = choices.flatMap((choice, index) =>
    Array.from({ length: processesOf(choice) }, () => targets[index] as MeasuredTarget),
  );
  const distinct = [...new Map(targets.map((one) => [one.name, one])).values()];
  return {
    needs,
    setUpMs: startMs + needs.costOf(ofAll, seen).warmUpMs,
    searchMs: needs.costOf(distinct, seen).searchMs,
  };
}
