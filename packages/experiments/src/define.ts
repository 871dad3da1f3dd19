import type { Host, Identity } from "@evenbench/core";
import type { ClaimSource, ComparisonResult, Outcome, Sample } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";

/** Another build of a target's app, made for one experiment, in a folder of its own. */
export interface SideBuild {
  /** What is another about it, and its folder's name: "no-node-env". */
  readonly name: string;
  /** Makes the deployable for the target's platform. */
  build(target: LocalTarget, deployable: string): Promise<void>;
}

/** Another start of a target than that of an ordinary run. */
interface SideStart {
  readonly v8Flags?: readonly string[];
  /** Worker processes, where the platform has such a thing. */
  readonly workers?: number;
  /**
   * "one": a single core of the servers'; "all": those and the client's. Default: the servers' cores. These
   * are all in a comparison, and those that the client leaves under load.
   */
  readonly cores?: "one" | "all";
  /** Variables in the environment of the served program. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** One side of a comparison: a target as it is, or built or started otherwise, and what it is asked for. */
export interface Side {
  readonly name: string;
  /** Name of a target, such as "node" or "next-cloudflare". */
  readonly target: string;
  /** Parameters of the case; those left out have their defaults. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly build?: SideBuild;
  readonly start?: SideStart;
}

/** Sides that are measured interleaved, round by round. The first one has an A/A copy, for the control. */
export interface ComparisonPlan {
  /** Lower-case words joined by hyphens, unique in its experiment. */
  readonly id: string;
  readonly caseId: string;
  readonly sides: readonly Side[];
  /**
   * Which sides are divided by which: all by the first one (default); these, and all by the one with the
   * least CPU time (or time to the last byte, where the system does not report it); or pairs of side and
   * divisor.
   */
  readonly contrasts?: "first" | "cheapest" | readonly (readonly [side: string, against: string])[];
  /** Trials; default: 3 to 15 by the time there is, fewer when an interim analysis finds it precise. */
  readonly trials?: number;
  /**
   * Trials at most, where 15 are not enough for a narrow margin: as many as the time has room for, and no
   * interim analysis, since intervals that are analysed often cover less than they say.
   */
  readonly mostTrials?: number;
  /**
   * The comparison ends early when its intervals are narrower than this, as a fraction; default 0.02. Where a
   * large factor decides, less is enough.
   */
  readonly precision?: number;
  /** Exchanges that a side gets back to back in a round. Default 1. */
  readonly spacing?: number;
  /** Time without any exchange before each measured one, in milliseconds. Default 0. */
  readonly pauseMs?: number;
  /** Its part of the time beside those of the experiment's other comparisons; default: the exchanges of a round. */
  readonly weight?: number;
}

/** What a comparison gives beside its result: for experiments that look at single exchanges. */
export interface Compared {
  readonly result: ComparisonResult;
  /** Measured exchanges; the A/A copy's are those of "<first side>~copy". */
  readonly samples: readonly Sample[];
}

/** What an experiment that measures in its own way is given. */
export interface MeasureContext {
  /** Folder for files of its own, inside the run's; exists. */
  readonly folder: string;
  /** What the whole experiment may still take, in milliseconds. Everything in it has to be bounded by this. */
  readonly timeMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Keeps what sides are found to need to be warm; null: nothing is kept. */
  readonly warmUpFile: string | null;
  /** A target as it is. @throws {Error} when there is none, or it could not be built. */
  target(name: string): LocalTarget;
  /** A side as a target that can be served, built and started as it says. @throws {Error} likewise. */
  sideTarget(side: Side): LocalTarget;
  /** To be told of what took part, where neither `serve` nor `compare` started it. */
  noteIdentity(identity: Identity): void;
  /** Starts a side and leaves it to the caller, who must stop it. @throws {HostError} with the runtime's own words. */
  serve(side: Side): Promise<Host>;
  /** Measures a comparison of sides, by the rules of an ordinary run. */
  compare(plan: ComparisonPlan, timeMs: number): Promise<Compared>;
  /** Says where it is, in a few words; call it between measurements only. */
  progress(what: string): void;
}

/** What `decide` is given. */
export interface Evidence<Own> {
  /** By id, those that were planned and those that `measure` asked for. */
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
  /**
   * What it takes on a quiet machine with two cores, builds left out, in seconds: its time where nobody gives
   * another.
   */
  readonly timeS: number;
  /** Measured one after the other; they share the time by their weight. */
  readonly comparisons?: readonly ComparisonPlan[];
  /** Sides that only `measure` uses: they are built, too. */
  readonly sides?: readonly Side[];
  /** The part of the experiment's time that `measure` may take where comparisons are planned, too. Default: half. */
  readonly measureShare?: number;
  /** What does not go round by round: load, profiles. */
  measure?(context: MeasureContext): Promise<Own>;
  /** Pure: what the measurements say of the claim. */
  decide(evidence: Evidence<Own>): Outcome;
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
export const HABR_CLUSTER: ClaimSource = {
  title: "Habr 848052",
  publisher: "Habr",
  date: "2024-10",
};

/** Questions of our own: how a choice of this benchmark bears on what it says. */
export const OWN_METHOD: ClaimSource = {
  title: "How Evenbench measures",
  publisher: "Evenbench",
  date: "2026-11",
};
