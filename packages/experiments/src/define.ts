import type { Host, Identity } from "@evenbench/core";
import type {
  ClaimSource,
  ClaimVerdict,
  ComparisonResult,
  Estimate,
  Figure,
  FigureUnit,
  Outcome,
  Sample,
  SideResult,
} from "@evenbench/results";
import type { LocalTarget, Progress } from "@evenbench/runner";

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
    /** One of the servers' cores; or these and the client's. Default: the servers'. */
    readonly cores?: "one" | "all";
    readonly environment?: Readonly<Record<string, string>>;
  };
}

/** Sides that are measured by one `run()`. The first one has an A/A copy. */
export interface ComparisonPlan {
  /** Lower-case words joined by hyphens, unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  /** Divisors: the first side (default); it, and the one that costs least; or pairs of side and divisor. */
  readonly contrasts?: "first" | "cheapest" | readonly (readonly [side: string, against: string])[];
  readonly trials?: number;
  /** As many as the time has room for, up to this: for a narrow margin. */
  readonly mostTrials?: number;
  /** Else it ends when its intervals are narrower than this, as a fraction. Default 0.02. */
  readonly precision?: number;
  /** As in `RunOptions`. */
  readonly spacing?: number;
  readonly pauseMs?: number;
  /** Of the experiment's time, beside the other comparisons. Default: the exchanges of a round. */
  readonly weight?: number;
}

export type Rule = (value: Estimate) => readonly [ClaimVerdict, string];

export type FigureQuestion = {
  readonly label: string;
  readonly of: string;
  readonly side: string;
  /** Without one, the figure decides nothing. */
  readonly rule?: Rule;
} & (
  | {
      readonly against: string;
      readonly metric: "firstByteMs" | "lastByteMs" | "cpu";
      /** The figure is the ratio divided by this one. */
      readonly beside?: Pick<FigureQuestion, "of" | "side"> & { readonly against: string };
    }
  | { readonly unit: FigureUnit; pick(side: SideResult): Estimate | number | null }
);

export interface Bench {
  /** Exists, for what measures in its own way. */
  readonly folder: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly warmUpFile: string | null;
  readonly identities: Identity[];
  /** @throws {Error} when there is no such target, or it could not be built. */
  targetOf(side: Side): LocalTarget;
  /** Says where it is, in a few words; call it between measurements only. */
  progress(what: string, at?: Pick<Progress, "phase" | "trial" | "trials" | "roundIndex">): void;
}

export interface MeasureContext extends Bench {
  /** What it may still take: it has to bound itself by this. */
  readonly timeMs: number;
  /** The caller must stop it. @throws {HostError} with the runtime's own words. */
  serve(side: Side): Promise<Host>;
  samplesOf(comparisonId: string): Promise<readonly Sample[]>;
}

export interface Evidence<Own> {
  /** The answers to `figures`, in their order. */
  readonly figures: readonly Figure[];
  readonly comparisons: Readonly<Record<string, ComparisonResult>>;
  readonly own: Own;
  /** What took part, by name: "V8 in workerd". */
  readonly versions: Readonly<Record<string, string>>;
}

export interface ExperimentDefinition<Own = undefined> {
  readonly title: string;
  readonly claim: string;
  readonly source: ClaimSource;
  /** The published figure: "3×". */
  readonly published: string;
  /** Its time by default, builds left out: what it takes on a quiet machine with two cores. */
  readonly timeS: number;
  readonly comparisons?: readonly ComparisonPlan[];
  /** Sides that only `measure` uses: they are built, too. */
  readonly sides?: readonly Side[];
  /** The part of the time that `measure` may take where comparisons are planned, too. Default: half. */
  readonly measureShare?: number;
  /** What does not go round by round: load, profiles. */
  measure?(context: MeasureContext): Promise<Own>;
  readonly figures?: readonly FigureQuestion[];
  /** Pure: what the measurements say of the claim. Default: `figures` with a rule decide together. */
  decide?(evidence: Evidence<Own>): Outcome;
}

export interface Experiment extends ExperimentDefinition<unknown> {
  readonly id: string;
}

/** Declares an experiment: `packages/experiments/<id>/experiment.ts` has it as its default export. */
export function defineExperiment<Own = undefined>(
  definition: ExperimentDefinition<Own>,
): ExperimentDefinition<Own> {
  return definition;
}

export function sidesOf({ comparisons = [], sides = [] }: Experiment): readonly Side[] {
  return [...comparisons.flatMap((comparison) => comparison.sides), ...sides];
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
