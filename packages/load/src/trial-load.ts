import { addAbortListener } from "node:events";
import { type CaseManifest, messageOf, quotesOf, type Reason } from "@evenbench/core";
import { startAll } from "@evenbench/host";
import { comparedShare, type ExchangeError, interleave } from "@evenbench/probe";
import type { LoadPlan, LoadStage, OfferedLoad, RunEvent } from "@evenbench/results";
import {
  type CaseRequest,
  deriveSeed,
  distrustAccounts,
  expectationOf,
  HEAVY_BYTES_PER_SECOND,
  type PreflightOutcome,
  pathOf,
  refuseClientLimit,
  startInstance,
  type WarmUpNeeds,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { type PlayedStage, runStage, type StageTerms } from "./engine/stage.ts";
import { loadOf } from "./offered.ts";
import type { LoadedTarget, LoadMeasuring, LoadOptions, LoadProgress } from "./options.ts";
import { measuredAs, processesOf, stagesPerTrial } from "./plan.ts";
import { describeOtherAnswers, type StageSummary, summarise } from "./stage-summary.ts";
import { describeShortWarmUp, TargetUnderLoad, warmUpShares } from "./target-under-load.ts";

/** Writes an error, "<kind>: <detail>". */
function describeError(error: ExchangeError | null): string | null {
  return error === null ? null : `${error.kind}: ${error.detail}`;
}

/** The load of one case, through all its trials. */
export interface CaseLoad {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  /** The session that records the load. It also aborts once the load's time is over. */
  readonly measuring: LoadMeasuring;
  /** Aborts where the user interrupts. */
  readonly interruption: AbortSignal;
  /** The findings of preflight: identities and expected answers. */
  readonly proved: PreflightOutcome;
  readonly manifest: CaseManifest;
  /** The targets of the apps that serve the case. */
  readonly targets: readonly LoadedTarget[];
  /** Requests that the targets need to be warm. */
  readonly needs: WarmUpNeeds;
}

/** Gives the request of a case to a target. */
export function requestOf({ proved, manifest }: CaseLoad, target: LoadedTarget): CaseRequest {
  return { path: pathOf(target, manifest), expected: expectationOf(proved, manifest.id, target.name) };
}

/** A trial of a case under load: fresh instances of all targets, and the stages that are sent to them. */
export class TrialLoad implements AsyncDisposable {
  readonly work: CaseLoad;
  /** The trial's index, from 0. */
  readonly trial: number;
  readonly #running = new Map<string, TargetUnderLoad>();
  readonly #abortion: Disposable;
  #stagesDone = 0;

  constructor(work: CaseLoad, trial: number) {
    this.work = work;
    this.trial = trial;
    this.#abortion = addAbortListener(work.interruption, () => {
      for (const target of this.#running.values()) {
        void target.closeConnections();
      }
    });
  }

  /**
   * Starts and warms up all targets.
   *
   * @param caseEndsAt the end of the case's time by `performance.now()`.
   */
  async start(caseEndsAt: number): Promise<void> {
    this.#show("start", null, null);
    const order = interleave(this.work.targets, this.seedOf("start"))();
    await Promise.all(order.map((target) => this.#startTarget(target)));
    const up = [...this.#running.values()];
    const nextEnd = warmUpShares(caseEndsAt, sum(up.map(({ target }) => processesOf(target))));
    for (const target of up) {
      await this.#warmUp(target, nextEnd);
    }
    await this.#noteWorkElsewhere();
  }

  /** Notes which targets have their work done by others; nothing is known of their CPU time from then on. */
  async #noteWorkElsewhere(): Promise<void> {
    const watched = [...this.#running].flatMap(([name, { instances }]) =>
      instances.map(({ cpu }) => [name, cpu] as const),
    );
    for (const [name, seen] of await distrustAccounts(watched)) {
      this.#note("work-elsewhere", name, seen);
    }
  }

  /** The names of the targets that run, in the order of the plan. */
  get targets(): readonly string[] {
    return this.work.targets.map(({ name }) => name).filter((name) => this.#running.has(name));
  }

  /** Derives the seed of something random in this trial. */
  seedOf(...purpose: readonly (string | number)[]): number {
    const { plan, manifest } = this.work;
    return deriveSeed(plan.seed, manifest.id, this.trial, ...purpose);
  }

  get #aborted(): boolean {
    return this.work.measuring.signal.aborted;
  }

  /**
   * Sends one load to a target, and records the stage. A target that answers otherwise than before is
   * dropped.
   *
   * @returns null where the target does not run any more, or the run was aborted.
   */
  async stage(name: string, load: OfferedLoad, stageMs: number): Promise<StageSummary | null> {
    const { measuring, interruption, options, plan, manifest } = this.work;
    const { recorder, signal } = measuring;
    const up = this.#running.get(name);
    if (up === undefined || this.#aborted) {
      return null;
    }
    this.#show("load", name, load);
    const index = recorder.record.stages.length;
    const { outcome, samples, wrong } = await this.#offer(up, index, {
      load,
      stageMs,
      ...up.request,
      runStartedAt: recorder.startedAt,
      signal,
      interruption,
      account: () => up.account(),
      onWindow: () => options.onWindow?.(up.pids()),
      prove: () => up.prove(),
    });
    const stage = { caseId: manifest.id, target: name, trial: this.trial, load, ...outcome };
    await this.#keep(stage, index, samples);
    for (const { error } of samples) {
      refuseClientLimit(error);
    }
    // A target that answers otherwise than before, or not at all, takes no more load.
    const reason = outcome.ended ?? describeError(wrong) ?? describeOtherAnswers(samples);
    if (reason !== null && !this.#aborted) {
      await this.#drop(name, `after a stage: ${reason}`);
    }
    const summary = summarise(stage, samples, plan.condition);
    this.#noteStage(up, summary, stageMs);
    return summary;
  }

  /** Says what a stage showed that a reader has to know. */
  #noteStage(up: TargetUnderLoad, { stage, hung }: StageSummary, stageMs: number): void {
    const { name } = up.target;
    if (hung > 0) {
      const all = stage.load.connections;
      const seen = `${hung} of ${all} connections got no answer through most of the window.`;
      this.#note("connections-hung", name, seen);
    }
    const loggedPerSecond = (up.newLogged() * 1000) / stageMs;
    if (loggedPerSecond >= HEAVY_BYTES_PER_SECOND) {
      this.#note("log-heavy", name, `${(loggedPerSecond / 1e6).toFixed(1)} MB a second.`);
    }
    const share = comparedShare(up.request.expected);
    if (share < 1 && up.request.expected.masks.length > 0) {
      this.#note("bodies-sampled", name, `${(100 * share).toFixed(0)} % of the bodies, drawn at random.`);
    }
  }

  /** Writes a stage that was sent: its samples first, so that a record names no stage without them. */
  async #keep(stage: LoadStage, index: number, samples: PlayedStage["samples"]): Promise<void> {
    const { recorder } = this.work.measuring;
    for (const sample of samples) {
      recorder.sample({ stage: index, ...sample });
    }
    recorder.flush();
    recorder.add("stages", stage);
    await recorder.save();
    this.#stagesDone += 1;
  }

  /**
   * Sends a load by k6 where the user asked for that, else by Evenbench's own client.
   *
   * @param index of the stage in the run.
   */
  async #offer(up: TargetUnderLoad, index: number, terms: StageTerms): Promise<PlayedStage> {
    const { measuring, options } = this.work;
    if (options.engine) {
      const { runK6Stage } = await import("./k6/engine.ts");
      const { exchangeTimeoutMs } = measuring.instanceSettings;
      const origins = up.instances.map(({ url }) => url);
      return runK6Stage(options.engine.file, { ...terms, origins, exchangeTimeoutMs });
    }
    return runStage({
      ...terms,
      seed: this.seedOf("arrivals", up.target.name, index),
      connections: await up.open(terms.load.connections),
      ownCores: measuring.hasOwnCores,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abortion[Symbol.dispose]();
    if (!this.work.interruption.aborted) {
      for (const up of this.#running.values()) {
        this.#reportErrors(up);
      }
    }
    await Promise.all([...this.#running.values()].map((target) => target.stop()));
  }

  /** Starts the instances of a target; one that does not start is dropped. */
  async #startTarget(target: LoadedTarget): Promise<void> {
    const { proved, measuring } = this.work;
    const { name, instances, workers } = target;
    const verified = proved.identities[name];
    if (verified === undefined) {
      throw new Error(`${name} was not seen by preflight.`);
    }
    const settings = { ...measuring.instanceSettings, workers };
    const names = Array.from({ length: instances }, (_, index) =>
      instances === 1 ? name : `${name}-${index + 1}`,
    );
    try {
      const up = await startAll(
        names.map((host) => () => startInstance(measuredAs(target, host), verified, settings)),
        (instance) => instance.stop(),
      );
      this.#running.set(name, new TargetUnderLoad(target, requestOf(this.work, target), up));
    } catch (problem) {
      if (!this.#aborted) {
        await this.#drop(name, `its hosts do not start. ${messageOf(problem)}`, quotesOf(problem));
      }
    }
  }

  /** Warms up a target; one that then answers otherwise than in preflight is dropped. */
  async #warmUp(up: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { measuring, needs } = this.work;
    const { name } = up.target;
    if (this.#aborted) {
      return;
    }
    this.#show("warmup", name, null);
    const short = await up.warmUp(needs, nextEnd, measuring.signal);
    const wrong = this.#aborted ? null : await up.prove();
    if (this.#aborted) {
      return;
    }
    const { exhausted } = up.warmUpErrors;
    if (wrong !== null) {
      await this.#drop(name, `it does not answer as in preflight. ${describeError(wrong)}`);
    } else if (exhausted !== null) {
      await this.#drop(name, `it failed in its warm-up. ${exhausted}`);
    } else if (short !== null) {
      this.#note("warmup-unstable", name, describeShortWarmUp(short));
    }
  }

  /** Takes a target out of the trial, and says why: how it died, where it did. */
  async #drop(name: string, why: string, quotesOfWhy: readonly string[] = []): Promise<void> {
    const up = this.#running.get(name);
    this.#running.delete(name);
    const death = await up?.causeOfDeath();
    const { message, quotes }: Reason = death ?? { message: why, quotes: quotesOfWhy };
    const detail = `${name} was dropped from trial ${this.trial + 1} of ${this.work.manifest.id}: ${message}`;
    this.#event("target-dropped", name, detail, quotes);
    await up?.stop();
  }

  /** Says how many requests failed that are in no stage, and so in no sample. */
  #reportErrors({ target: { name }, warmUpErrors, openingErrors }: TargetUnderLoad): void {
    const parts = [
      [warmUpErrors, "in its warm-up"],
      [openingErrors, "as connections were opened before stages"],
    ] as const;
    for (const [budget, where] of parts) {
      if (budget.errors > 0) {
        this.#note("error-budget", name, `${budget.describe()}, ${where}`);
      }
    }
  }

  /** Adds an event of what was seen of a target. */
  #note(kind: RunEvent["kind"], target: string, seen: string): void {
    this.#event(kind, target, `${target} in ${this.work.manifest.id}, trial ${this.trial + 1}: ${seen}`);
  }

  #event(kind: RunEvent["kind"], target: string, detail: string, quotes: readonly string[] = []): void {
    const { measuring, manifest } = this.work;
    measuring.recorder.event(kind, detail, { caseId: manifest.id, target, trial: this.trial, quotes });
  }

  #show(phase: LoadProgress["phase"], target: string | null, load: OfferedLoad | null): void {
    const { options, plan, manifest, targets } = this.work;
    const most = stagesPerTrial(options.goal, targets.length);
    options.onProgress?.({
      phase,
      caseId: manifest.id,
      trial: this.trial,
      trials: plan.trials,
      target,
      load: load === null ? null : loadOf(load),
      stagesDone: this.trial * most + this.#stagesDone,
      stagesMost: plan.trials * most,
    });
  }
}
