import type { Identity } from "@evenbench/core";
import type { StageSummary } from "@evenbench/load";
import type {
  ClaimSource,
  ClaimVerdict,
  ComparisonResult,
  Estimate,
  Figure,
  FigureTable,
  FigureUnit,
  OfferedLoad,
  Outcome,
  Sample,
  SideResult,
} from "@evenbench/results";
import type { LocalTarget, Progress, RunOptions } from "@evenbench/runner";

/** Another build of a target's app, made for one experiment. */
export interface SideBuild {
  /** Also the name of its folder: "no-node-env". */
  readonly name: string;
  build(target: LocalTarget, deployable: string): Promise<void>;
}

/** A target as it is, or built or started otherwise, and what it is asked for. */
export interface Side {
  readonly name: string;
  readonly target: string;
  /** Parameters of the case; those left out have their defaults. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly build?: SideBuild;
  readonly start?: {
    readonly v8Flags?: readonly string[];
    readonly workers?: number;
    /** Under load. */
    readonly instances?: number;
    /** One of the servers' cores; or these and the client's. Default: the servers'. */
    readonly cores?: "one" | "all";
    readonly environment?: Readonly<Record<string, string>>;
  };
}

/**
 * Sides that are measured by one `run()`, whose options these are. The first one has an A/A copy. It ends when its
 * intervals are narrow (`precision`, default 0.02), or has as many trials as the time has room for (`mostTrials`).
 */
export interface ComparisonPlan extends Pick<RunOptions, "mostTrials" | "precision" | "spacing" | "pauseMs"> {
  /** Lower-case words joined by hyphens, unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  /** Default: all others against the first side. */
  readonly contrasts?: readonly (readonly [side: string, against: string])[];
  /** Of the experiment's time, beside the other comparisons. Default: the exchanges of a round. */
  readonly weight?: number;
}

/** Load on sides, as `evenbench load` puts it; each load of an experiment has its part of the time. */
export interface LoadPlan {
  /** Unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  readonly loads: readonly OfferedLoad[];
  /** What one trial takes: there are as many as the time has room for, three to five. */
  readonly trialMs: number;
  /** Default: all have as much. */
  readonly share?: number;
}

export interface LoadAnswer {
  readonly stages: readonly StageSummary[];
  /** As in the load's own report. */
  readonly tables: readonly FigureTable[];
  readonly notes: readonly string[];
}

/** A side at a load: the concurrency of a closed loop, or arrivals per second. */
export interface StagePlace {
  readonly side: string;
  readonly offered: number;
}

export type StageValue = (summary: StageSummary) => number | null;

export type Rule = (value: Estimate) => readonly [ClaimVerdict, string];

export interface RatioQuestion {
  readonly comparison: string;
  readonly side: string;
  readonly against: string;
  readonly metric: "firstByteMs" | "lastByteMs" | "cpu";
  /** The figure is the ratio divided by this one. */
  readonly beside?: Pick<RatioQuestion, "comparison" | "side" | "against">;
}

/** A mean over trials; or the ratio to another place in the same trials. */
export interface LoadQuestion {
  readonly load: string;
  readonly at: StagePlace;
  readonly against?: StagePlace;
  readonly unit?: FigureUnit;
  readonly value: StageValue;
  readonly note?: string;
}

export type FigureQuestion = {
  readonly label: string;
  /** Without one, the figure decides nothing. */
  readonly rule?: Rule | undefined;
} & (
  | RatioQuestion
  | {
      readonly comparison: string;
      readonly side: string;
      readonly unit: FigureUnit;
      pick(side: SideResult): Estimate | number | null;
    }
  | LoadQuestion
);

export interface Bench {
  /** The experiment's own, in that of the run. */
  readonly folder: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly identities: Identity[];
  /** @throws {Error} when there is no such target, or it could not be built. */
  targetOf(side: Side): LocalTarget;
  /** Says where it is, in a few words; call it between measurements only. */
  progress(what: string, at?: Pick<Progress, "phase" | "trial" | "trials" | "roundIndex">): void;
}

export interface MeasureContext extends Bench {
  readonly timeMs: number;
  samplesOf(comparisonId: string): Promise<readonly Sample[]>;
}

export interface Evidence<Measured> {
  /** The answers to `figures`, in their order. */
  readonly figures: readonly Figure[];
  /** Those of all loads. */
  readonly tables: readonly FigureTable[];
  readonly comparisons: Readonly<Record<string, ComparisonResult>>;
  readonly loads: Readonly<Record<string, LoadAnswer>>;
  readonly measured: Measured;
  /** What took part, by name: "V8 in workerd". */
  readonly versions: Readonly<Record<string, string>>;
}

export interface ExperimentDefinition<Measured = undefined> {
  readonly title: string;
  readonly claim: string;
  readonly source: ClaimSource;
  /** The published figure: "3×". */
  readonly published: string;
  /** Its time by default, builds left out: what it takes on a quiet machine with two cores. */
  readonly timeS: number;
  readonly comparisons?: readonly ComparisonPlan[];
  readonly loads?: readonly LoadPlan[];
  /** The part of the time that comparisons leave to what does not go round by round. Default: none. */
  readonly measureShare?: number;
  /** That only `measure` asks for. */
  readonly targets?: readonly string[];
  measure?(context: MeasureContext): Promise<Measured>;
  readonly figures?: readonly FigureQuestion[];
  /** Is said behind the reason of a verdict. */
  readonly note?: string;
  /** Pure: what the measurements say of the claim. Default: `figures` with a rule decide together. */
  decide?(evidence: Evidence<Measured>): Outcome;
}

export interface Experiment extends ExperimentDefinition<unknown> {
  readonly id: string;
}

/** Declares an experiment: `packages/experiments/<id>/experiment.ts` has it as its default export. */
export function defineExperiment<Measured = undefined>(
  definition: ExperimentDefinition<Measured>,
): ExperimentDefinition<Measured> {
  return definition;
}

export function sidesOf({ comparisons = [], loads = [], targets = [] }: Experiment): readonly Side[] {
  return [...[...comparisons, ...loads].flatMap(({ sides }) => sides), ...sidesOfTargets(...targets)];
}

export function sidesOfTargets(...targets: readonly string[]): readonly Side[] {
  return targets.map((target) => ({ name: target, target }));
}

const METRIC_WORDS = { cpu: "CPU time", lastByteMs: "time to the last byte" } as const;

/** CPU time and time of the same sides: a figure each. One that has a rule decides. */
export function cpuAndTime(
  question: Omit<RatioQuestion, "metric">,
  labelOf: (metric: string) => string,
  rules: Partial<Record<keyof typeof METRIC_WORDS, Rule>> = {},
): readonly FigureQuestion[] {
  return (["cpu", "lastByteMs"] as const).map((metric) => ({
    ...question,
    metric,
    rule: rules[metric],
    label: labelOf(METRIC_WORDS[metric]),
  }));
}

export const UNPACKING: ClaimSource = {
  title: "Unpacking Cloudflare Workers CPU Performance Benchmarks",
  publisher: "Cloudflare",
  date: "2025-10-14",
};

export const PRIVACY_PROXY: ClaimSource = {
  title: "The double-spend check of the privacy proxy",
  publisher: "Cloudflare",
  date: null,
};

export const HABR_CLUSTER: ClaimSource = { title: "Habr 848052", publisher: "Habr", date: "2024-10" };

export const OWN_METHOD: ClaimSource = {
  title: "How Evenbench measures",
  publisher: "Evenbench",
  date: "2026-11",
};
