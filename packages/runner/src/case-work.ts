import { availableParallelism } from "node:os";
import type { CaseManifest, Identity, ProviderAccount } from "@evenbench/core";
import {
  type AskedTarget,
  ErrorBudget,
  type Exchange,
  type Expectation,
  interleave,
  isClients,
  recordOf,
} from "@evenbench/probe";
import type { Run, RunEvent, RunPlan, Sample } from "@evenbench/results";
import type { Instance } from "./instance.ts";
import type { Progress, ProgressPlace } from "./options.ts";
import { deriveSeed } from "./plan.ts";
import { expectationOf, type PreflightOutcome } from "./prove.ts";
import type { MeasuringSession } from "./session.ts";
import { type MeasuredTarget, pathOf } from "./targets.ts";
import { type CaseCost, usualNeeds, WarmUpNeeds, type WarmUpSeries } from "./warm-up-needs.ts";

export interface CaseSession extends MeasuringSession<Run, Sample> {
  /** The first one, until it is known what cases cost. */
  plan: RunPlan;
  readonly sides: boolean;
  readonly proved: PreflightOutcome;
  /** That came with responses; null where platforms are not asked for them. */
  readonly accounts: ProviderAccount[] | null;
  /** Targets that did not answer in time, or did not start, with the case: none is waited for a second time. */
  readonly lost: Map<string, string>;
  showProgress(progress: ProgressPlace): void;
}

export interface CaseRequest {
  readonly path: string;
  readonly expected: Expectation;
}

export interface RunningTarget extends MeasuredTarget, AskedTarget, WarmUpSeries {
  readonly instance: Instance;
  instanceId: string | null;
  restarted: boolean;
  /** Of its target in this trial, whichever instance got them. */
  warmUpRounds: number;
}

export class CaseState {
  readonly session: CaseSession;
  readonly manifest: CaseManifest;
  readonly warmUps: WarmUpNeeds;
  /** Measured ones, of all trials. */
  samples: Sample[] = [];
  trial = 0;
  running: readonly RunningTarget[] = [];
  parts: number | null = null;
  warmTrials = 0;
  failure: string | null = null;
  /** Targets that further trials are about; null where they are about all. */
  open: readonly string[] | null = null;
  readonly #targets: readonly MeasuredTarget[];
  readonly #dropped = new Set<string>();
  readonly #budgets = new Map<string, ErrorBudget>();

  constructor(session: CaseSession, manifest: CaseManifest, targets: readonly MeasuredTarget[]) {
    const { sides, proved, plan } = session;
    this.session = session;
    this.manifest = manifest;
    this.#targets = targets;
    // What is usual is known of cases as they are.
    const usual = sides ? {} : usualNeeds(manifest, targets, proved.identities, proved.seen);
    this.warmUps = new WarmUpNeeds(usual, plan.warmUpExchanges);
  }

  get plan(): RunPlan {
    return this.session.plan;
  }

  get measuredTargets(): readonly MeasuredTarget[] {
    return this.#targets.filter(({ name }) => !this.#dropped.has(name));
  }

  /** Of the next trial. */
  get askedTargets(): readonly MeasuredTarget[] {
    const { baseline, open } = this;
    return this.measuredTargets.filter(
      ({ name, copyOf }) => open === null || name === baseline || copyOf !== null || open.includes(name),
    );
  }

  get baseline(): string {
    return this.#targets.find(({ copyOf }) => copyOf !== null)?.copyOf ?? this.#targets[0]?.name ?? "";
  }

  /** Sides may have requests of their own. */
  requestOf({ name, target, copyOf }: MeasuredTarget): CaseRequest {
    const expected = expectationOf(this.session.proved, this.manifest.id, copyOf ?? name);
    return { path: pathOf(target, this.manifest), expected };
  }

  get mayGoOn(): boolean {
    return !this.session.signal.aborted && this.failure === null;
  }

  /** Of the trial's targets: those that were not dropped. */
  get going(): RunningTarget[] {
    return this.running.filter(({ name }) => !this.isDropped(name));
  }

  get samplesOfTrial(): Sample[] {
    return this.samples.filter(({ trial }) => trial === this.trial);
  }

  /** Where another process answers within a trial: what the one before it answered is not mixed with its answers. */
  forgetReplaced(name: string): void {
    this.samples = this.samples.filter(({ target, trial }) => target !== name || trial !== this.trial);
  }

  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  randomOrder<T>(items: readonly T[], ...purpose: readonly (string | number)[]): () => T[] {
    return interleave(items, deriveSeed(this.plan.seed, this.manifest.id, ...purpose));
  }

  cost(): CaseCost {
    const seen = this.session.proved.seen[this.manifest.id] ?? { exchangeMs: {}, startMs: 0 };
    const cost = this.warmUps.costOf(this.askedTargets, seen, this.plan.pauseMs, this.warmsInPairs);
    return { ...cost, rounds: this.manifest.rounds };
  }

  /** With a core for each. What runs elsewhere is asked as by one client. */
  readonly warmsInPairs = ({ target }: MeasuredTarget): boolean =>
    target.place === "local" &&
    !target.platform.warmsUpAlone &&
    !this.session.hasOwnCores &&
    availableParallelism() > 1;

  tell(kind: RunEvent["kind"], detail: string, target: string, trial: number | null = this.trial): void {
    this.session.recorder.event(kind, detail, { caseId: this.manifest.id, target, trial });
  }

  drop(name: string, reason: string): void {
    this.#dropped.add(name);
    this.tell("target-dropped", `${name} was dropped from ${this.manifest.id}: ${reason}`, name);
    if (name === this.baseline) {
      this.failure ??= `its baseline ${name} was dropped`;
    } else if (this.measuredTargets.length < 2) {
      this.failure ??= "there is nothing left to compare";
    }
  }

  budgetOf(name: string): ErrorBudget {
    const known = this.#budgets.get(name) ?? new ErrorBudget();
    this.#budgets.set(name, known);
    return known;
  }

  identityOf({ name, copyOf }: MeasuredTarget): Identity {
    const identity = this.session.proved.identities[copyOf ?? name];
    if (identity === undefined) {
      throw new Error(`${name} was not seen by preflight.`);
    }
    return identity;
  }

  record(where: Pick<Sample, "target" | "phase" | "roundIndex" | "position">, exchange: Exchange): void {
    const { target, phase, ...place } = where;
    const sample: Sample = {
      caseId: this.manifest.id,
      target,
      trial: this.trial,
      phase,
      ...place,
      ...recordOf(exchange, this.session.recorder.startedAt),
      ...exchange.cost,
    };
    // What went wrong in the client is no error of the target's.
    const isOfTarget = exchange.error === null || !isClients(exchange.error);
    if (isOfTarget && (phase === "warmup" || phase === "measure")) {
      this.budgetOf(target).count(exchange.error, exchange.isChecked);
    }
    this.session.recorder.sample(sample);
    if (exchange.account !== null) {
      this.session.accounts?.push(exchange.account);
    }
    if (phase === "measure") {
      this.samples.push(sample);
    }
  }

  summarise(): void {
    const caseId = this.manifest.id;
    for (const [target, budget] of this.#budgets) {
      if (budget.errors === 0 || this.isDropped(target)) {
        continue;
      }
      this.tell("error-budget", `${target} in ${caseId}: ${budget.describe()}.`, target, null);
    }
    if (this.failure !== null) {
      this.session.recorder.event("case-failed", `${caseId} was ended early: ${this.failure}.`, { caseId });
    }
  }

  showProgress(phase: Progress["phase"], roundIndex = 0, trial = this.trial): void {
    const trials = this.plan.trials.maximum;
    this.session.showProgress({ phase, caseId: this.manifest.id, trial, trials, roundIndex });
  }
}
