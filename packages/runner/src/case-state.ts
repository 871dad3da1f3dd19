import { ErrorBudget, type Exchange, faultOf, isClients, recordedOf } from "@evenbench/probe";
import type { RunEvent, Sample } from "@evenbench/results";
import type { MeasuredCase } from "./measured-case.ts";
import type { Progress } from "./options.ts";
import type { PlannedCase } from "./planned-case.ts";
import type { RunningTarget } from "./running-target.ts";
import type { MeasuredTarget } from "./targets.ts";
import type { CaseCost } from "./warm-up-needs.ts";

/** The place of a sample within its trial. */
export type SamplePlace = Pick<Sample, "target" | "phase" | "roundIndex" | "position">;

/**
 * A case while it is measured, as all but `turns.ts` and `trial.ts` see it: they read it, record exchanges,
 * and drop targets that fail, and cannot write its state.
 */
export type CaseView = Readonly<
  Omit<CaseState, "parts" | "warmTrials" | "restrictTo" | "forgetReplaced" | "summarise">
>;

/** The state of a case: all that changes while it is measured. Only `turns.ts` and `trial.ts` write it. */
export class CaseState {
  /** All that is fixed for the case. */
  readonly context: PlannedCase;
  /** Number of the present trial, from 0; in cold starts, of the repetition. */
  trial = 0;
  /** Targets that were started for the present trial, in the order of their start. */
  running: readonly RunningTarget[] = [];
  /**
   * Largest number of parts in which the case's body comes, as its trials showed; null while that is not
   * known.
   */
  parts: number | null = null;
  /** Number of trials in which every target was warm. */
  warmTrials = 0;
  #samples: Sample[] = [];
  /** Why the case has failed; null where it has not. */
  #failure: string | null = null;
  /** What was said of a target already. */
  readonly #said = new Set<string>();
  /** Names of the targets that further trials are about; null: all. */
  #undecided: readonly string[] | null = null;
  readonly #dropped = new Set<string>();
  readonly #budgets = new Map<string, ErrorBudget>();

  constructor(context: PlannedCase) {
    this.context = context;
  }

  get id(): string {
    return this.context.manifest.id;
  }

  /** Samples of measured rounds, of all trials. */
  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** Samples of measured rounds, of the present trial. */
  get samplesOfTrial(): readonly Sample[] {
    return this.#samples.filter(({ trial }) => trial === this.trial);
  }

  /** Targets that were not dropped. */
  get measuredTargets(): readonly MeasuredTarget[] {
    return this.context.targets.filter(({ name }) => !this.#dropped.has(name));
  }

  /** Targets that the next trial starts: the undecided ones, the baseline and its copy. */
  get askedTargets(): readonly MeasuredTarget[] {
    const undecided = this.#undecided;
    if (undecided === null) {
      return this.measuredTargets;
    }
    const { baseline } = this.context;
    return this.measuredTargets.filter(
      ({ name, copyOf }) => name === baseline || copyOf !== null || undecided.includes(name),
    );
  }

  /** The targets of `running` that were not dropped. */
  get going(): readonly RunningTarget[] {
    return this.running.filter(({ name }) => !this.isDropped(name));
  }

  /** True if the case can be measured further: neither the run was aborted, nor the case has failed. */
  get mayGoOn(): boolean {
    return !this.context.session.signal.aborted && this.#failure === null;
  }

  /** Tells whether a target was left out. */
  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  /** Expected times of the next trial, by what is known so far. */
  cost(): CaseCost {
    return this.context.costOf(this.askedTargets);
  }

  /** The samples so far, with all that is needed to fit them. */
  measured(): MeasuredCase {
    const { manifest, plan, baseline, session } = this.context;
    const { warmUps, usage } = session.recorder.record;
    const targets = this.measuredTargets;
    return { manifest, plan, baseline, targets, samples: this.samples, warmUps, usage };
  }

  /** Restricts further trials to these targets, the baseline and its copy. */
  restrictTo(undecided: readonly string[]): void {
    this.#undecided = undecided;
  }

  /** Gives the count of a target's errors, which says when there are too many. */
  errorBudgetOf(name: string): ErrorBudget {
    const known = this.#budgets.get(name) ?? new ErrorBudget();
    this.#budgets.set(name, known);
    return known;
  }

  /** Writes an exchange as a sample of the present trial. */
  record(where: SamplePlace, exchange: Exchange): void {
    const { recorder, accounts } = this.context.session;
    const { target, phase, ...place } = where;
    const sample: Sample = {
      caseId: this.id,
      target,
      trial: this.trial,
      phase,
      ...place,
      ...recordedOf(exchange, recorder.startedAt),
      ...exchange.cost,
    };
    // What went wrong in the client is no error of the target's.
    const isOfTarget = exchange.error === null || !isClients(exchange.error);
    if (isOfTarget && (phase === "warmup" || phase === "measure")) {
      this.errorBudgetOf(target).count(faultOf(exchange), exchange.isChecked);
    }
    recorder.sample(sample);
    if (exchange.account !== null) {
      accounts?.push(exchange.account);
    }
    if (phase === "measure") {
      this.#samples.push(sample);
    }
  }

  /** Forgets what a target measured in the present trial: another process answers for it from now on. */
  forgetReplaced(name: string): void {
    this.#samples = this.#samples.filter(({ target, trial }) => target !== name || trial !== this.trial);
  }

  /** Leaves a target out from now on. The case fails without its baseline, or with nothing left to compare. */
  drop(name: string, reason: string, quotes: readonly string[] = []): void {
    this.#dropped.add(name);
    this.reportEvent("target-dropped", `${name} was dropped from ${this.id}: ${reason}`, name, quotes);
    if (name === this.context.baseline) {
      this.#failure ??= `its baseline ${name} was dropped`;
    } else if (this.measuredTargets.length < 2) {
      this.#failure ??= "there is nothing left to compare";
    }
  }

  /** Reports something of a target, the first time that it is seen. */
  reportOnce(kind: RunEvent["kind"], detail: string, target: string, quotes: readonly string[] = []): void {
    const key = `${kind} ${target}`;
    if (!this.#said.has(key)) {
      this.#said.add(key);
      this.reportEvent(kind, detail, target, quotes);
    }
  }

  /** Adds an event of the present trial to the run's record. */
  reportEvent(kind: RunEvent["kind"], detail: string, target: string, quotes: readonly string[] = []): void {
    this.context.reportEvent(kind, detail, target, this.trial, quotes);
  }

  /** Reports, after the last trial, the errors of targets that were not dropped, and why the case failed. */
  summarise(): void {
    for (const [target, budget] of this.#budgets) {
      if (budget.errors > 0 && !this.isDropped(target)) {
        const detail = `${target} in ${this.id}: ${budget.describe()}.`;
        this.context.reportEvent("error-budget", detail, target, null);
      }
    }
    if (this.#failure !== null) {
      const detail = `${this.id} was ended early: ${this.#failure}.`;
      this.context.session.recorder.event("case-failed", detail, { caseId: this.id });
    }
  }

  /** Shows where the case is. @param roundIndex default: 0. */
  showProgress(phase: Progress["phase"], roundIndex = 0): void {
    this.context.showProgress(phase, this.trial, roundIndex);
  }
}
