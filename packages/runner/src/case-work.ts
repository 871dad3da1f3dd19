import type { CaseManifest, Identity } from "@evenbench/core";
import { type Exchange, type Expectation, recordOf } from "@evenbench/probe";
import type { Run, Sample } from "@evenbench/results";
import { ErrorBudget } from "./health.ts";
import type { Progress } from "./options.ts";
import type { Patience } from "./patience.ts";
import type { ProviderCpu } from "./provider-cpu.ts";
import type { MeasuringSession } from "./session.ts";
import type { MeasuredTarget } from "./targets.ts";
import type { WarmUpNeeds } from "./warm-up-needs.ts";

export interface CaseSession
  extends Pick<MeasuringSession<Run, Sample>, "signal" | "startedAt" | "recorder" | "instanceSettings"> {
  readonly seed: number;
  readonly identities: Readonly<Record<string, Identity>>;
  /** Names requests and takes what platforms account to them; null where nobody asked for that. */
  readonly providerCpu: ProviderCpu | null;
  /** Ends the waiting for targets that do not answer; null where each case has its time anyhow. */
  readonly patience: Patience | null;
  readonly warmTogether: number;
  readonly askTogether: number;
  showProgress(progress: Pick<Progress, "phase" | "caseId" | "trial" | "trials" | "roundIndex">): void;
}

export interface CaseRequest {
  readonly path: string;
  readonly expected: Expectation;
}

export type PlaceInCase = Pick<Sample, "target" | "trial" | "phase" | "roundIndex" | "position">;

export class CaseWork {
  readonly session: CaseSession;
  readonly manifest: CaseManifest;
  readonly rounds: number | null;
  readonly trials: number;
  readonly spacing: number;
  /** Time without any exchange before each measured one, in milliseconds. */
  readonly pauseMs: number;
  readonly warmUps: WarmUpNeeds;
  readonly samples: Sample[] = [];
  readonly notesArrivals: boolean;
  readonly hasTransfer: boolean;
  /** In how many parts its body comes, as the last trial showed; null before the first. */
  parts: number | null = null;
  warmTrials = 0;
  /** Why the case cannot go on, or null. */
  failure: string | null = null;
  readonly #requestOf: (measured: MeasuredTarget) => CaseRequest;
  readonly #all: readonly MeasuredTarget[];
  readonly #dropped = new Set<string>();
  readonly #budgets = new Map<string, ErrorBudget>();

  constructor(
    session: CaseSession,
    options: {
      readonly manifest: CaseManifest;
      /** One for all in a run; the sides of an experiment may have requests of their own. */
      requestOf(measured: MeasuredTarget): CaseRequest;
      readonly measuredTargets: readonly MeasuredTarget[];
      readonly rounds: number | null;
      readonly trials: number;
      readonly spacing: number;
      readonly pauseMs: number;
      readonly warmUps: WarmUpNeeds;
      readonly notesArrivals: boolean;
      readonly hasTransfer: boolean;
    },
  ) {
    this.session = session;
    this.manifest = options.manifest;
    this.#requestOf = options.requestOf;
    this.rounds = options.rounds;
    this.trials = options.trials;
    this.spacing = options.spacing;
    this.pauseMs = options.pauseMs;
    this.warmUps = options.warmUps;
    this.notesArrivals = options.notesArrivals;
    this.hasTransfer = options.hasTransfer;
    this.#all = options.measuredTargets;
  }

  get measuredTargets(): readonly MeasuredTarget[] {
    return this.#all.filter(({ name }) => !this.#dropped.has(name));
  }

  get baseline(): string {
    return this.#all.find(({ copyOf }) => copyOf !== null)?.copyOf ?? "";
  }

  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  drop(name: string, reason: string, trial: number): void {
    this.#dropped.add(name);
    const caseId = this.manifest.id;
    this.session.recorder.event("target-dropped", `${name} was dropped from ${caseId}: ${reason}`, {
      caseId,
      target: name,
      trial,
    });
    if (name === this.baseline) this.failure ??= `its baseline ${name} was dropped`;
    else if (this.measuredTargets.length < 2) this.failure ??= "there is nothing left to compare";
  }

  budgetOf(name: string): ErrorBudget {
    const known = this.#budgets.get(name) ?? new ErrorBudget();
    this.#budgets.set(name, known);
    return known;
  }

  requestOf(measured: MeasuredTarget): CaseRequest {
    return this.#requestOf(measured);
  }

  identityOf({ name, copyOf }: MeasuredTarget): Identity {
    const identity = this.session.identities[copyOf ?? name];
    if (identity === undefined) throw new Error(`${name} was not seen by preflight.`);
    return identity;
  }

  record(where: PlaceInCase, exchange: Exchange): void {
    const { target, phase } = where;
    const sample: Sample = {
      caseId: this.manifest.id,
      ...where,
      ...recordOf(exchange, this.session.startedAt),
      cpuMs: exchange.cost?.cpuMs ?? null,
      minorFaults: exchange.cost?.minorFaults ?? null,
    };
    if (phase === "warmup" || phase === "measure") this.budgetOf(target).count(exchange.error);
    this.session.recorder.sample(sample);
    this.session.patience?.note(target, exchange);
    this.session.providerCpu?.take(sample, exchange.account);
    if (phase === "measure") this.samples.push(sample);
  }

  /** At the end of the case: what a reader of its numbers must know. */
  summarise(): void {
    const { recorder } = this.session;
    const caseId = this.manifest.id;
    for (const [target, budget] of this.#budgets) {
      if (budget.errors === 0 || this.isDropped(target)) continue;
      recorder.event("error-budget", `${target} in ${caseId}: ${budget.describe()}.`, { caseId, target });
    }
    if (this.failure !== null)
      recorder.event("case-failed", `${caseId} was ended early: ${this.failure}.`, { caseId });
  }

  showProgress(phase: Progress["phase"], trial: number, roundIndex: number): void {
    const { trials, manifest } = this;
    this.session.showProgress({ phase, caseId: manifest.id, trial, trials, roundIndex });
  }
}
