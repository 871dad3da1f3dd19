import type { CaseManifest } from "@evenbench/core";
import { createLoadReport, runLoad, type StageSummary } from "@evenbench/load";
import type { OfferedLoad } from "@evenbench/results";
import { geometricInterval, meanInterval, type RatioInterval } from "@evenbench/stats";
import type { MeasureContext, Side } from "./define.ts";

interface LoadedSide extends Side {
  readonly instances?: number;
}

export interface LoadQuestion {
  readonly caseId: string;
  readonly sides: readonly LoadedSide[];
  readonly loads: readonly OfferedLoad[];
  readonly trials: number;
  readonly timeMs: number;
  onWindow?(side: string, pids: readonly number[]): void;
}

export interface LoadAnswer {
  readonly stages: readonly StageSummary[];
  readonly notes: readonly string[];
}

/**
 * Puts load on sides, by the rules of `evenbench load`: stages in random order, trials. Its folder, with the
 * page of its own, is one of the experiment's.
 *
 * @throws {RunError} when a side does not start or does not do the same work.
 */
export async function loadSides(context: MeasureContext, question: LoadQuestion): Promise<LoadAnswer> {
  const { caseId, sides, loads, onWindow } = question;
  const targets = sides.map((side) => ({
    name: side.name,
    target: context.sideTarget(side),
    instances: side.instances ?? 1,
    workers: side.start?.workers ?? 1,
    parameters: side.parameters ?? {},
  }));
  const app = targets[0]?.target.app;
  const manifests = (await app?.cases()) ?? [];
  const { folder, run } = await runLoad({
    targets,
    cases: { [app?.id ?? ""]: manifests.filter(({ id }) => id === caseId) },
    otherCaseIds: otherIds(manifests, caseId),
    goal: { kind: "sweep", loads },
    trials: question.trials,
    timeMs: question.timeMs,
    // Many requests at a time keep the client busy while servers compute: on their cores it would take of
    // what is measured, and send late.
    serverCores: "apart",
    warmUpFile: context.warmUpFile,
    seed: context.seed,
    out: context.folder,
    // Sides that are started otherwise have this pin, and nothing else has.
    allow: ["experiment"],
    signal: context.signal,
    onProgress: ({ target, load: offered }) =>
      context.progress(
        `${caseId}: ${target ?? "starting"} ${offered === null ? "" : wordsOf(offered)}`.trim(),
      ),
    onWindow: (side, _load, pids) => onWindow?.(side, pids),
  });
  for (const identity of Object.values(run.identities)) context.noteIdentity(identity);
  const { data } = await createLoadReport(folder);
  // Sides are meant to differ.
  const meant = new Set(run.events.filter(({ kind }) => kind === "pin-allowed").map(({ detail }) => detail));
  return {
    stages: data.cases.flatMap((one) => one.targets.flatMap((target) => target.stages)),
    notes: data.warnings
      .filter(({ details }) => !details.every((detail) => meant.has(detail)))
      .map(({ title, details }) => `${title}: ${details[0]}`),
  };
}

function otherIds(manifests: readonly CaseManifest[], caseId: string): readonly string[] {
  return manifests.map(({ id }) => id).filter((id) => id !== caseId);
}

function wordsOf(load: OfferedLoad): string {
  return load.kind === "closed" ? `concurrency ${load.connections}` : `${load.perSecond}/s`;
}

export interface StagePlace {
  readonly side: string;
  /** Concurrency of a closed loop, or arrivals per second. */
  readonly offered: number;
}

export function valuesAt(
  { stages }: LoadAnswer,
  { side, offered }: StagePlace,
  pick: (summary: StageSummary) => number | null,
): Map<number, number> {
  const own = stages.filter(
    ({ stage: { target, load } }) =>
      target === side && (load.kind === "closed" ? load.connections : load.perSecond) === offered,
  );
  return new Map(own.flatMap((summary) => pairOf(summary.stage.trial, pick(summary))));
}

function pairOf(trial: number, value: number | null): [number, number][] {
  return value === null ? [] : [[trial, value]];
}

export function meanAt(
  answer: LoadAnswer,
  place: StagePlace,
  pick: (summary: StageSummary) => number | null,
): RatioInterval | null {
  return meanInterval([...valuesAt(answer, place, pick).values()]);
}

/**
 * One place divided by another within trials, with the interval of the geometric mean; null with fewer than
 * two trials.
 */
export function ratioAt(
  answer: LoadAnswer,
  place: StagePlace,
  against: StagePlace,
  pick: (summary: StageSummary) => number | null,
): RatioInterval | null {
  const divisors = valuesAt(answer, against, pick);
  return geometricInterval(
    [...valuesAt(answer, place, pick)].flatMap(([trial, value]) => {
      const divisor = divisors.get(trial);
      return divisor === undefined || !(value > 0 && divisor > 0) ? [] : [Math.log(value / divisor)];
    }),
  );
}

/** So many trials as the time has room for: at least three, for an interval of use, and at most five. */
export function trialsFor(timeMs: number, trialMs: number): number {
  return Math.min(5, Math.max(3, Math.floor(timeMs / trialMs)));
}
