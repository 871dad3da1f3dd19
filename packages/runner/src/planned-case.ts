import { availableParallelism } from "node:os";
import type { CaseManifest, Identity, ProviderAccount } from "@evenbench/core";
import { type Expectation, interleave } from "@evenbench/probe";
import type { Run, RunEvent, RunPlan, Sample } from "@evenbench/results";
import type { Progress, ProgressPlace } from "./options.ts";
import { expectationOf, type PreflightOutcome } from "./preflight-outcome.ts";
import { deriveSeed } from "./seed.ts";
import type { MeasuringSession } from "./session.ts";
import { type MeasuredTarget, pathOf } from "./targets.ts";
import { type CaseCost, usualNeeds, WarmUpNeeds } from "./warm-up-needs.ts";

/** The measuring session of a run, with what all of its cases share. */
export interface CaseSession extends MeasuringSession<Run, Sample> {
  readonly plan: RunPlan;
  /** True if the targets are sides of one question, which are meant to differ. */
  readonly sides: boolean;
  readonly proved: PreflightOutcome;
  /**
   * CPU accounts that platforms sent in response headers, as they come; null where they are not asked for.
   */
  readonly accounts: ProviderAccount[] | null;
  /** Ends of instances that are under way, by name of the target: the next trial begins meanwhile. */
  readonly stopping: Map<string, Promise<void>>;
  showProgress(progress: ProgressPlace): void;
}

/** A case's request to one target. */
export interface CaseRequest {
  /** Path with its query. */
  readonly path: string;
  readonly expected: Expectation;
}

/** A case as it is planned: all that is fixed while it is measured. `CaseState` holds all that changes. */
export class PlannedCase {
  readonly session: CaseSession;
  readonly manifest: CaseManifest;
  /** All targets of the case, with the copy of its baseline. */
  readonly targets: readonly MeasuredTarget[];
  /** The knowledge of how much warm-up instances need. It grows as trials are played. */
  readonly warmUps: WarmUpNeeds;

  constructor(session: CaseSession, manifest: CaseManifest, targets: readonly MeasuredTarget[]) {
    const { sides, proved, plan } = session;
    this.session = session;
    this.manifest = manifest;
    this.targets = targets;
    // A case says what its targets need as they are; sides differ from that.
    const known = sides ? {} : usualNeeds(manifest, targets, proved.identities, proved.seen);
    this.warmUps = new WarmUpNeeds(known, plan.warmUpExchanges);
  }

  get plan(): RunPlan {
    return this.session.plan;
  }

  /** Name of the target that the others are compared with; "" where there is no target. */
  get baseline(): string {
    return this.targets.find(({ copyOf }) => copyOf !== null)?.copyOf ?? this.targets[0]?.name ?? "";
  }

  /** The request to a target: sides may have requests of their own. */
  requestOf({ name, target, copyOf }: MeasuredTarget): CaseRequest {
    const expected = expectationOf(this.session.proved, this.manifest.id, copyOf ?? name);
    return { path: pathOf(target, this.manifest), expected };
  }

  /** The target's identity as preflight read it. @throws {Error} where preflight has not seen it. */
  identityOf({ name, copyOf }: MeasuredTarget): Identity {
    const identity = this.session.proved.identities[copyOf ?? name];
    if (identity === undefined) {
      throw new Error(`${name} was not seen by preflight.`);
    }
    return identity;
  }

  /**
   * Gives a function that returns the items in a new random order at each call, the same ones for the same
   * seed.
   */
  randomOrder<T>(items: readonly T[], ...purpose: readonly (string | number)[]): () => T[] {
    return interleave(items, deriveSeed(this.plan.seed, this.manifest.id, ...purpose));
  }

  /** Expected times of a trial of these targets, by what is known so far. */
  costOf(targets: readonly MeasuredTarget[]): CaseCost {
    const seen = this.session.proved.seen[this.manifest.id] ?? { exchangeMs: {}, startMs: 0 };
    const cost = this.warmUps.costOf(targets, seen, this.plan.pauseMs, this.warmsInPairs);
    return { ...cost, rounds: this.manifest.rounds };
  }

  /**
   * True if a target may be warmed up while another one is: only a local one, and only if this machine has a
   * core for each. What runs elsewhere is asked as by one client.
   */
  readonly warmsInPairs = ({ target }: MeasuredTarget): boolean =>
    target.place === "local" &&
    !target.platform.warmsUpAlone &&
    !this.session.hasOwnCores &&
    availableParallelism() > 1;

  /** Adds an event of this case to the run's record. */
  reportEvent(
    kind: RunEvent["kind"],
    detail: string,
    target: string,
    trial: number | null,
    quotes: readonly string[] = [],
  ): void {
    this.session.recorder.event(kind, detail, { caseId: this.manifest.id, target, trial, quotes });
  }

  showProgress(phase: Progress["phase"], trial: number, roundIndex: number): void {
    const trials = this.plan.trials.maximum;
    this.session.showProgress({ phase, caseId: this.manifest.id, trial, trials, roundIndex });
  }
}
