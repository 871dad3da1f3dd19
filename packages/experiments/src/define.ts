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
import type { LocalTarget } from "@evenbench/runner";

/** Another build of a target's app, made for one experiment, in a folder of its own. */
export interface SideBuild {
  /** What is another about it, and its folder's name: "no-node-env". */
  readonly name: string;
  build(target: LocalTarget, deployable: string): Promise<void>;
}

/** One side of a comparison: a target as it is, or built or started otherwise, and what it is asked for. */
export interface Side {
  readonly name: string;
  /** Name of a target, such as "node" or "next-cloudflare". */
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

/** Sides that are measured interleaved, round by round, as `run()` does. The first one has an A/A copy. */
export interface ComparisonPlan {
  /** Lower-case words joined by hyphens, unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  /** Divisors: the first side (default); it, and the one that costs least; or pairs of side and divisor. */
  readonly contrasts?: "first" | "cheapest" | readonly (readonly [side: string, against: string])[];
  /** Exactly so many, and no end before. */
  readonly trials?: number;
  /** As many as the time has room for, up to this, and no end before: for a narrow margin. */
  readonly mostTrials?: number;
  /** It ends when its intervals are narrower than this, as a fraction. Default 0.02; a large factor needs less. */
  readonly precision?: number;
  /** Exchanges that a side gets back to back in a round. Default 1. */
  readonly spacing?: number;
  /** Time without any exchange before each measured one, in milliseconds. Default 0. */
  readonly pauseMs?: number;
  /** Its part of the time beside the experiment's other comparisons. Default: the exchanges of a round. */
  readonly weight?: number;
}

/** What an interval says of a claim, and why. */
export type Rule = (value: Estimate) => readonly [ClaimVerdict, string];

/** A figure that planned comparisons give. */
export type FigureQuestion = {
  readonly label: string;
  /** Id of the comparison. */
  readonly of: string;
  readonly side: string;
  /** Without one, the figure is shown and decides nothing. */
  readonly rule?: Rule;
} & (
  | {
      readonly against: string;
      readonly metric: "firstByteMs" | "lastByteMs" | "cpu";
      /** Another comparison of sides by these names: the figure is the first ratio divided by its. */
      readonly beside?: Pick<FigureQuestion, "of" | "side"> & { readonly against: string };
    }
  | { readonly unit: FigureUnit; pick(side: SideResult): Estimate | number | null }
);

/** What an experiment that measures in its own way is given. */
export interface MeasureContext {
  /** For files of its own, inside the run's; exists. */
  readonly folder: string;
  /** What the experiment may still take, in milliseconds. Everything in it has to be bounded by this. */
  readonly timeMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Keeps what sides are found to need to be warm; null: nothing is kept. */
  readonly warmUpFile: string | null;
  /** A side as a target that can be served. @throws {Error} when there is none, or it could not be built. */
  targetOf(side: Side): LocalTarget;
  /** To be told of what took part, where neither `serve` nor a comparison started it. */
  noteIdentity(identity: Identity): void;
  /** Starts a side and leaves it to the caller, who must stop it. @throws {HostError} with the runtime's own words. */
  serve(side: Side): Promise<Host>;
  /** The measured exchanges of a planned comparison. */
  samplesOf(comparisonId: string): Promise<readonly Sample[]>;
  /** Says where it is, in a few words; call it between measurements only. */
  progress(what: string): void;
}

/** What `decide` is given. */
export interface Evidence<Own> {
  /** The answers to `figures`, in their order. */
  readonly figures: readonly Figure[];
  readonly comparisons: Readonly<Record<string, ComparisonResult>>;
  /** What `measure` returned. */
  readonly own: Own;
  /** What took part, by name: "V8 in workerd". */
  readonly versions: Readonly<Record<string, string>>;
}

/** A published claim and how it is checked. Its id is the name of its folder. */
export interface ExperimentDefinition<Own = undefined> {
  readonly title: string;
  /** As it was published, in our words. */
  readonly claim: string;
  readonly source: ClaimSource;
  /** The published figure: "3×". */
  readonly published: string;
  /** What it takes on a quiet machine with two cores, builds left out, in seconds; its time by default. */
  readonly timeS: number;
  /** Measured one after the other; they share the time by their weight. */
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

/** An experiment found on disk. */
export interface Experiment extends ExperimentDefinition<unknown> {
  readonly id: string;
}

/** Declares an experiment: `packages/experiments/<id>/experiment.ts` has it as its default export. */
export function defineExperiment<Own = undefined>(
  definition: ExperimentDefinition<Own>,
): ExperimentDefinition<Own> {
  return definition;
}

/** Every side of an experiment. */
export function sidesOf({
  comparisons = [],
  sides = [],
}: Pick<Experiment, "comparisons" | "sides">): readonly Side[] {
  return [...comparisons.flatMap((comparison) => comparison.sides), ...sides];
}

/** The investigation that most of the claims come from. */
export const UNPACKING: ClaimSource = {
  title: "Unpacking Cloudflare Workers CPU Performance Benchmarks",
  publisher: "Cloudflare",
  date: "2025-10-14",
};

/** How a check for spent tokens became fast. */
export const PRIVACY_PROXY: ClaimSource = {
  title: "The double-spend check of the privacy proxy",
  publisher: "Cloudflare",
  date: null,
};

/** A comparison of ways to serve Next.js. */
export const HABR_CLUSTER: ClaimSource = { title: "Habr 848052", publisher: "Habr", date: "2024-10" };

/** How a choice of this benchmark bears on what it says. */
export const OWN_METHOD: ClaimSource = {
  title: "How Evenbench measures",
  publisher: "Evenbench",
  date: "2026-11",
};
