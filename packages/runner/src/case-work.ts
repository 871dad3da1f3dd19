import type { CaseManifest, Identity, Sample } from "@evenbench/core";
import type { Exchange, Expectation } from "@evenbench/probe";
import { ErrorBudget } from "./health.ts";
import type { InstanceSettings } from "./instance.ts";
import type { Progress } from "./options.ts";
import type { ProviderCpu } from "./provider-cpu.ts";
import type { Recorder } from "./recorder.ts";
import type { Contender } from "./targets.ts";

/** What all cases of a run share. */
export interface Session {
  readonly seed: number;
  readonly signal: AbortSignal;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  readonly recorder: Recorder;
  readonly instanceSettings: InstanceSettings;
  /** As preflight saw them, by target name. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** Names requests and takes what platforms account to them; null where nobody asked for that. */
  readonly providerCpu: ProviderCpu | null;
  showProgress(
    progress: Pick<Progress, "phase" | "caseId" | "generation" | "generations" | "roundIndex">,
  ): void;
}

/** What a contender is asked for, and what it has to answer. */
export interface CaseRequest {
  readonly path: string;
  readonly expected: Expectation;
}

/** The state of one case while it is measured: who is still in, what was seen. */
export class CaseWork {
  readonly session: Session;
  readonly manifest: CaseManifest;
  readonly rounds: number | null;
  readonly generations: number;
  /** Measured samples, kept for looks at the data; null where there will be none. */
  readonly samples: Sample[] | null;
  /** Whether floors are measured, too: a case without a body, and the payload itself, are floors. */
  readonly hasFloor: boolean;
  /** In how many parts its body comes, as the last set of instances showed; null before the first. */
  parts: number | null = null;
  /** Why the case cannot go on, or null. */
  failure: string | null = null;
  readonly #requestOf: (contender: Contender) => CaseRequest;
  readonly #all: readonly Contender[];
  readonly #dropped = new Set<string>();
  readonly #budgets = new Map<string, ErrorBudget>();
  readonly #warmups = new Map<string, { instances: number; unsteady: number }>();

  constructor(
    session: Session,
    subject: {
      readonly manifest: CaseManifest;
      /** One for all in a run; the sides of an experiment may have requests of their own. */
      requestOf(contender: Contender): CaseRequest;
      readonly contenders: readonly Contender[];
      readonly rounds: number | null;
      readonly generations: number;
      readonly keepSamples: boolean;
      readonly hasFloor: boolean;
    },
  ) {
    this.session = session;
    this.manifest = subject.manifest;
    this.#requestOf = subject.requestOf;
    this.rounds = subject.rounds;
    this.generations = subject.generations;
    this.samples = subject.keepSamples ? [] : null;
    this.hasFloor = subject.hasFloor;
    this.#all = subject.contenders;
  }

  /** Those that were not dropped. */
  get contenders(): readonly Contender[] {
    return this.#all.filter(({ name }) => !this.#dropped.has(name));
  }

  /** The name of what the others are compared with. */
  get baseline(): string {
    return this.#all.find(({ twinOf }) => twinOf !== null)?.twinOf ?? "";
  }

  isDropped(name: string): boolean {
    return this.#dropped.has(name);
  }

  /** Takes a contender out of this case. Without a baseline, or with nothing to hold against it, the case ends. */
  drop(name: string, reason: string, generation: number): void {
    this.#dropped.add(name);
    const caseId = this.manifest.id;
    this.session.recorder.event("target-dropped", `${name} was dropped from ${caseId}: ${reason}`, {
      caseId,
      target: name,
      generation,
    });
    if (name === this.baseline) this.failure ??= `its baseline ${name} was dropped`;
    else if (this.contenders.length < 2) this.failure ??= "there is nothing left to compare";
  }

  budgetOf(name: string): ErrorBudget {
    const known = this.#budgets.get(name) ?? new ErrorBudget();
    this.#budgets.set(name, known);
    return known;
  }

  requestOf(contender: Contender): CaseRequest {
    return this.#requestOf(contender);
  }

  /** The identity that preflight saw; a twin's is its target's. */
  identityOf({ name, twinOf }: Contender): Identity {
    const identity = this.session.identities[twinOf ?? name];
    if (identity === undefined) throw new Error(`${name} was not seen by preflight.`);
    return identity;
  }

  record(
    target: string,
    generation: number,
    phase: Sample["phase"],
    roundIndex: number,
    position: number,
    exchange: Exchange,
  ): void {
    const sample: Sample = {
      caseId: this.manifest.id,
      target,
      generation,
      phase,
      roundIndex,
      position,
      startedAtMs: exchange.startedAt - this.session.startedAt,
      connectMs: exchange.connectMs,
      firstByteMs: exchange.firstByteMs,
      lastByteMs: exchange.lastByteMs,
      status: exchange.status,
      bodyBytes: exchange.bodyBytes,
      instanceId: exchange.instanceId,
      served: exchange.served,
      inFlight: exchange.inFlight,
      error: exchange.error,
    };
    if (phase === "warmup" || phase === "measure") this.budgetOf(target).count(exchange.error);
    this.session.recorder.sample(sample);
    this.session.providerCpu?.take(sample, exchange.account);
    if (phase === "measure") this.samples?.push(sample);
  }

  noteWarmup(name: string, steady: boolean): void {
    const { instances, unsteady } = this.#warmups.get(name) ?? { instances: 0, unsteady: 0 };
    this.#warmups.set(name, { instances: instances + 1, unsteady: unsteady + (steady ? 0 : 1) });
  }

  /** At the end of the case: what a reader of its numbers must know. */
  summarise(): void {
    const { recorder } = this.session;
    const caseId = this.manifest.id;
    const unsteady = [...this.#warmups].filter(([, warmup]) => warmup.unsteady > 0);
    if (unsteady.length > 0) {
      const list = unsteady.map(
        ([name, warmup]) => `${name} in ${warmup.unsteady} of ${warmup.instances} instances`,
      );
      const detail = `${caseId}: warm-up ended at its bound, not yet steady: ${list.join(", ")}.`;
      recorder.event("warmup-unstable", detail, { caseId });
    }
    for (const [target, budget] of this.#budgets) {
      if (budget.errors === 0 || this.isDropped(target)) continue;
      recorder.event("error-budget", `${target} in ${caseId}: ${budget.describe()}.`, { caseId, target });
    }
    if (this.failure !== null)
      recorder.event("case-failed", `${caseId} was ended early: ${this.failure}.`, { caseId });
  }

  showProgress(phase: Progress["phase"], generation: number, roundIndex: number): void {
    const { generations, manifest } = this;
    this.session.showProgress({ phase, caseId: manifest.id, generation, generations, roundIndex });
  }
}
