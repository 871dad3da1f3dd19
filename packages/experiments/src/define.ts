import type { Identity, Reason } from "@evenbench/core";
import type { StageSummary } from "@evenbench/load";
import type {
  AskedFor,
  ClaimSource,
  Estimate,
  Figure,
  FigureUnit,
  OfferedLoad,
  Outcome,
  PartVerdict,
  Sample,
} from "@evenbench/results";
import type { LocalTarget, Progress, RunOptions } from "@evenbench/runner";
import type { ComparisonResult, SideResult } from "./side-results.ts";

/** Another build of a target's app, made for one experiment. */
export interface SideBuild {
  /** Also the name of its folder: "no-node-env". */
  readonly name: string;
  build(target: LocalTarget, deployable: string): Promise<void>;
}

/** A target as it is, or built or started otherwise, and what it is asked for. */
export interface Side {
  /** Unique among the sides that are measured together. */
  readonly name: string;
  /** Name of the target, such as "node". */
  readonly target: string;
  /** Parameters of the case; those left out have their defaults. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Default: the target's own build. */
  readonly build?: SideBuild;
  /** Default: as the target is always started. */
  readonly start?: SideStart;
}

interface SideStart {
  /** Flags of V8, behind those of the platform. */
  readonly v8Flags?: readonly string[];
  /** Worker processes behind one address. Default: 1. */
  readonly workers?: number;
  /** Instances side by side, under load only. Default: 1. */
  readonly instances?: number;
  /** "one": one of the servers' cores; "all": these and the client's. Default: the servers'. */
  readonly cores?: "one" | "all";
  /** The Node.js that serves, as `--node` names it; for platforms that are one. Default: Evenbench's own. */
  readonly node?: string;
  /** Variables of the environment beside the target's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Sides that one `run()` measures, with its options; the first has an A/A copy. It ends when the parts of the claim
 * that ask for it are decided, at the latest with its time; without such parts after three trials, or `mostTrials`.
 */
export interface ComparisonPlan extends Pick<RunOptions, "mostTrials" | "spacing" | "pauseMs"> {
  /** Lower-case words joined by hyphens, unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  /** Default: all others against the first side. */
  readonly contrasts?: readonly (readonly [side: string, against: string])[];
  /** Weight of its time beside other comparisons. Default: the exchanges of a round. */
  readonly weight?: number;
}

/** Load on sides, as the command `load` puts it. */
export interface SideLoad {
  /** Unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  readonly loads: readonly OfferedLoad[];
  /** Milliseconds of one trial: there are as many trials as the time has room for, three to five. */
  readonly trialMs: number;
  /** Weight of its time beside those of the experiment's other loads. Default: 1. */
  readonly weight?: number;
}

/** The results of the load of a `SideLoad`. */
export interface LoadAnswer {
  /** Summaries of stages, one for each side, load and trial. */
  readonly stages: readonly StageSummary[];
  /** Folder of the load, in which its page lies. */
  readonly folder: string;
  /** Notices of the load's report but for those on how the sides are meant to differ: a sentence each. */
  readonly notes: readonly string[];
}

/** A side at a load: the concurrency of a closed loop, or arrivals per second. */
export interface StagePlace {
  readonly side: string;
  /** Requests at a time, or arrivals per second. */
  readonly offered: number;
}

/** Takes a number from the summary of a stage; null where the stage has none. */
export type StageValue = (summary: StageSummary) => number | null;

/** Gives what a value says of a claim, and why, as a sentence. */
export type Rule = (value: Estimate) => readonly [PartVerdict, string];

/** Asks for the ratio of two sides, side / against. */
export interface RatioQuestion {
  /** Id of the comparison that has both. */
  readonly comparison: string;
  /** Name of the side that is divided. */
  readonly side: string;
  /** Name of the side that it is divided by. */
  readonly against: string;
  readonly metric: "firstByteMs" | "lastByteMs" | "cpu";
  /** The figure is the ratio divided by this one. */
  readonly beside?: Pick<RatioQuestion, "comparison" | "side" | "against">;
}

/** Asks for a mean over the trials of a load; or for its ratio to another place in the same trials. */
export interface LoadQuestion {
  /** Id of the load. */
  readonly load: string;
  readonly at: StagePlace;
  /** The place that it is divided by. Default: none. */
  readonly against?: StagePlace;
  /** Default: "ratio". */
  readonly unit?: FigureUnit;
  readonly value: StageValue;
  /** A sentence that stands with a figure that decides nothing. */
  readonly note?: string;
}

/** Asks for a value of one side. */
export interface SideQuestion {
  /** Id of the comparison that has it. */
  readonly comparison: string;
  readonly side: string;
  readonly unit: FigureUnit;
  /** Takes the value; null where the side has none. */
  pick(side: SideResult): Estimate | number | null;
}

/** A figure that an experiment reports, and may be decided by. */
export type FigureQuestion = FigureWords & (RatioQuestion | SideQuestion | LoadQuestion);

/** How a figure is called, and how it decides. */
export interface FigureWords {
  readonly label: string;
  /** Without one, the figure decides nothing. */
  readonly rule?: Rule | undefined;
}

/** The means by which one experiment is measured. */
export interface Bench {
  /** The experiment's own folder, in that of the run. */
  readonly folder: string;
  /** Seed of all random order of this experiment. */
  readonly seed: number;
  /** The command line that asks for the experiment; its fields are not there where none did. */
  readonly asked: AskedFor;
  readonly signal: AbortSignal;
  /** Identities of the servers that were measured, as they give them; each measurement adds its own. */
  readonly identities: Identity[];
  /** @throws {Error} when there is no such target, or it could not be built. */
  targetOf(side: Side): LocalTarget;
  /** Shows what a reason quotes of logs, which no record has. */
  tell(reason: Reason): void;
  /** Says where it is, in a few words; call it between measurements only. */
  progress(what: string, at?: Pick<Progress, "phase" | "trial" | "trials" | "roundIndex">): void;
}

/** The means that an experiment's own `measure` works with. */
export interface MeasureContext extends Bench {
  /** Milliseconds that it may take. */
  readonly timeMs: number;
  /** Gives the measured samples of a comparison of this experiment; none where it could not be measured. */
  samplesOf(comparisonId: string): Promise<readonly Sample[]>;
}

/** All that was measured for a claim, from which the experiment decides. */
export interface Evidence<Measured> {
  /** The answers to `figures`, in their order. */
  readonly figures: readonly Figure[];
  /** Results by the id of the comparison. */
  readonly comparisons: Readonly<Record<string, ComparisonResult>>;
  /** Answers by the id of the load. */
  readonly loads: Readonly<Record<string, LoadAnswer>>;
  /** The result of `measure`. */
  readonly measured: Measured;
  /** Versions of what took part, by name, such as "V8 in workerd". */
  readonly versions: Readonly<Record<string, string>>;
}

/** The measurements of an experiment, before figures were made of them. */
export type MeasuredEvidence = Omit<Evidence<unknown>, "figures">;

/** A published claim: both of its sides, what is asked of them, and what decides. */
export interface ExperimentDefinition<Measured = undefined> {
  readonly title: string;
  /** The claim as a sentence. */
  readonly claim: string;
  readonly source: ClaimSource;
  /** The published figure, such as "3×". */
  readonly published: string;
  /** Seconds by default, builds left out: what it takes on a quiet machine with two cores. */
  readonly timeS: number;
  readonly comparisons?: readonly ComparisonPlan[];
  readonly loads?: readonly SideLoad[];
  /**
   * Part of the time, from 0 to 1, that comparisons leave to `loads` and `measure`. Default: 0; these get what is left.
   */
  readonly timeBesideComparisons?: number;
  /** Names of targets that only `measure` asks for. */
  readonly targets?: readonly string[];
  /** Measures what is neither a comparison nor a load. */
  measure?(context: MeasureContext): Promise<Measured>;
  readonly figures?: readonly FigureQuestion[];
  /** A sentence behind the reason of a verdict. */
  readonly note?: string;
  /** Pure: what the measurements say of the claim. Default: `figures` with a rule decide together. */
  decide?(evidence: Evidence<Measured>): Outcome;
}

/** An experiment as it was found. */
export interface Experiment extends ExperimentDefinition<unknown> {
  /** Name of its folder. */
  readonly id: string;
}

/** Declares an experiment: `packages/experiments/<id>/experiment.ts` has it as its default export. */
export function defineExperiment<Measured = undefined>(
  definition: ExperimentDefinition<Measured>,
): ExperimentDefinition<Measured> {
  return definition;
}

/** Gives all sides of an experiment, some of them more than once. */
export function sidesOf({ comparisons = [], loads = [], targets = [] }: Experiment): readonly Side[] {
  return [...[...comparisons, ...loads].flatMap(({ sides }) => sides), ...sidesOfTargets(...targets)];
}

/** Gives targets as they are, as sides. */
export function sidesOfTargets(...targets: readonly string[]): readonly Side[] {
  return targets.map((target) => ({ name: target, target }));
}

/** Words of the metrics that claims speak of. */
const METRIC_WORDS = { cpu: "CPU time", lastByteMs: "time to the last byte" } as const;

/** Asks for the ratio of CPU time and of time of the same sides: a figure each. One that has a rule decides. */
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

/** The source of claims about CPU performance of Workers. */
export const UNPACKING: ClaimSource = {
  title: "Unpacking Cloudflare Workers CPU Performance Benchmarks",
  publisher: "Cloudflare",
  date: "2025-10-14",
};

/** The source of claims about the double-spend check of the privacy proxy. */
export const PRIVACY_PROXY: ClaimSource = {
  title: "The double-spend check of the privacy proxy",
  publisher: "Cloudflare",
  date: null,
};

/** The source of claims about Next.js on a cluster: an article on Habr of October 2024. */
export const HABR_CLUSTER: ClaimSource = { title: "Habr 848052", publisher: "Habr", date: "2024-10" };

/** The source of claims that Evenbench's own method makes. */
export const OWN_METHOD: ClaimSource = {
  title: "How Evenbench measures",
  publisher: "Evenbench",
  date: "2026-11",
};
