import { addAbortListener } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type CaseManifest, messageOf } from "@evenbench/core";
import { accountant, type ProcessAccount, startAll } from "@evenbench/host";
import {
  checkBody,
  comparedShare,
  ErrorBudget,
  type ExchangeError,
  interleave,
  isClients,
  type Probe,
} from "@evenbench/probe";
import type { LoadPlan, LoadStage, OfferedLoad, RunEvent } from "@evenbench/results";
import {
  type CaseRequest,
  type ConnectionWarmUp,
  deriveSeed,
  expectationOf,
  HEAVY_BYTES_PER_SECOND,
  type Instance,
  type PreflightOutcome,
  pathOf,
  refuseClientLimit,
  startInstance,
  type WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { type PlayedStage, runStage, type StageTerms } from "./engine/stage.ts";
import { loadOf } from "./offered.ts";
import type { LoadedTarget, LoadMeasuring, LoadOptions, LoadProgress } from "./options.ts";
import { describeShortWarmUp, measuredAs, processesOf, stagesPerTrial, warmUpShares } from "./plan.ts";
import { describeOtherAnswers, type StageSummary, summarise } from "./stage-summary.ts";

/**
 * Milliseconds in which failed connections are tried again: a cluster may be starting a worker in the place
 * of one that died.
 */
const RECOVERY_MS = 3000;
/** Milliseconds between two of these tries. */
const RETRY_AFTER_MS = 100;

/** A target whose instances run, and the client's connections to them. */
class TargetUnderLoad {
  readonly target: LoadedTarget;
  readonly request: CaseRequest;
  readonly instances: readonly Instance[];
  /** The errors of its warm-up. */
  readonly warmUpErrors: ErrorBudget = new ErrorBudget();
  /** The errors of requests that opened connections before a stage. They drop no target: load may cause them. */
  readonly openingErrors: ErrorBudget = new ErrorBudget();
  readonly #probes: Probe[] = [];
  #logged = 0;

  constructor(target: LoadedTarget, request: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.request = request;
    this.instances = instances;
  }

  /**
   * Gives the first connections of the client, which are spread over the instances in turn, and opens those that are
   * missing.
   */
  connections(count: number): readonly Probe[] {
    while (this.#probes.length < count) {
      this.#probes.push(this.#instanceOf(this.#probes.length).connect());
    }
    return this.#probes.slice(0, count);
  }

  #instanceOf(connection: number): Instance {
    return this.instances[connection % this.instances.length] as Instance;
  }

  /**
   * Warms up every process. A cluster hands connections to its workers in turn, so that as many connections
   * as workers reach each of them.
   *
   * @param nextEnd gives the end of the next connection's warm-up, by `performance.now()`.
   * @returns the first warm-up that was too short; null where all were long enough, or an abort ended them.
   */
  async warmUp(
    needs: WarmUpNeeds,
    nextEnd: () => number,
    signal: AbortSignal,
  ): Promise<ConnectionWarmUp | null> {
    const { name } = this.target;
    let short: ConnectionWarmUp | null = null;
    for (const [index, probe] of this.connections(processesOf(this.target)).entries()) {
      if (signal.aborted) {
        return short;
      }
      const { cpu } = this.#instanceOf(index);
      const terms = {
        needs,
        target: measuredAs(this.target),
        endsAt: nextEnd(),
        signal,
        budget: this.warmUpErrors,
      };
      const done = await warmConnection({ name, probe, ...this.request, readCost: cpu.readCost }, terms);
      if (!done.warm) {
        short ??= done;
      }
    }
    return short;
  }

  /**
   * Opens connections before a stage: a busy server takes new ones so late that those opened under load are
   * starved.
   */
  async open(count: number): Promise<readonly Probe[]> {
    const { path, expected } = this.request;
    const probes = this.connections(count);
    const opened = await Promise.all(probes.map((probe) => probe.exchange(path, expected)));
    for (const exchange of opened) {
      checkBody(exchange, expected);
      if (exchange.error === null || !isClients(exchange.error)) {
        this.openingErrors.count(exchange.error);
      }
    }
    return probes;
  }

  /**
   * Asks every instance once more.
   *
   * @returns the error of one that does not answer as in preflight; null where all do.
   */
  async prove(): Promise<ExchangeError | null> {
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.connections(this.instances.length)) {
      const error = await this.#proveBy(probe, recoversBy);
      if (error !== null) {
        return error;
      }
    }
    return null;
  }

  /** Asks over one connection, again until `recoversBy` where it failed. */
  async #proveBy(probe: Probe, recoversBy: number): Promise<ExchangeError | null> {
    const { path, expected } = this.request;
    for (;;) {
      const exchange = await probe.exchange(path, expected, { digest: true });
      checkBody(exchange, expected);
      const { error } = exchange;
      if (error === null) {
        return null;
      }
      refuseClientLimit(error);
      const mayPass = error.kind === "connection" || error.kind === "client-pause";
      if (!mayPass || performance.now() >= recoversBy) {
        return error;
      }
      await delay(RETRY_AFTER_MS);
    }
  }

  /** Reads what all its processes have used so far; null where the system does not say it. */
  account(): Promise<ProcessAccount | null> {
    return accountant.read(this.pids());
  }

  /** Gives the number of bytes that its processes wrote to their logs since the last call. */
  newLogged(): number {
    const logged = sum(this.instances.map((instance) => instance.loggedBytes()));
    const before = this.#logged;
    this.#logged = logged;
    return logged - before;
  }

  /** The ids of all its processes. */
  pids(): readonly number[] {
    return this.instances.flatMap((instance) => instance.pids());
  }

  /** Says why an instance ended by itself; null where all run. */
  async causeOfDeath(): Promise<string | null> {
    const causes = await Promise.all(this.instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  /** Closes the connections, and stops the instances. */
  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  /** Closes the client's connections: requests under way fail. */
  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}

/** Writes an error, "<kind>: <detail>". */
function describeError(error: ExchangeError | null): string | null {
  return error === null ? null : `${error.kind}: ${error.detail}`;
}

/** The load of one case, through all its trials. */
export interface CaseLoad {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  /** The session that records the load. */
  readonly measuring: LoadMeasuring;
  /** The findings of preflight: identities and expected answers. */
  readonly proved: PreflightOutcome;
  readonly manifest: CaseManifest;
  /** The targets of the apps that serve the case. */
  readonly targets: readonly LoadedTarget[];
  /** Requests that the targets need to be warm. */
  readonly needs: WarmUpNeeds;
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
    this.#abortion = addAbortListener(work.measuring.signal, () => {
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
    const { measuring, options, plan, manifest } = this.work;
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
      await this.#drop(name, `after a stage: ${(await up.causeOfDeath()) ?? reason}`);
    }
    const summary = summarise(stage, samples, plan.condition);
    this.#noteStage(up, summary, stageMs);
    return summary;
  }

  /** Says what a stage showed that a reader has to know. */
  #noteStage(up: TargetUnderLoad, { stage, hung }: StageSummary, stageMs: number): void {
    const { name } = up.target;
    const where = `${name} in ${this.work.manifest.id}, trial ${this.trial + 1}`;
    if (hung > 0) {
      const detail = `${where}: ${hung} of ${stage.load.connections} connections got no answer in the whole window.`;
      this.#event("connections-hung", name, detail);
    }
    const loggedPerSecond = (up.newLogged() * 1000) / stageMs;
    if (loggedPerSecond >= HEAVY_BYTES_PER_SECOND) {
      this.#event("log-heavy", name, `${where}: ${(loggedPerSecond / 1e6).toFixed(1)} MB a second.`);
    }
    const share = comparedShare(up.request.expected);
    if (share < 1 && up.request.expected.masks.length > 0) {
      this.#event(
        "bodies-sampled",
        name,
        `${where}: ${(100 * share).toFixed(0)} % of the bodies, drawn at random.`,
      );
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
    if (!this.#aborted) {
      for (const up of this.#running.values()) {
        this.#reportErrors(up);
      }
    }
    await Promise.all([...this.#running.values()].map((target) => target.stop()));
  }

  /** Starts the instances of a target; one that does not start is dropped. */
  async #startTarget(target: LoadedTarget): Promise<void> {
    const { proved, measuring, manifest } = this.work;
    const { name, instances, workers } = target;
    const verified = proved.identities[name];
    if (verified === undefined) {
      throw new Error(`${name} was not seen by preflight.`);
    }
    const request = { path: pathOf(target, manifest), expected: expectationOf(proved, manifest.id, name) };
    const settings = { ...measuring.instanceSettings, workers };
    const names = Array.from({ length: instances }, (_, index) =>
      instances === 1 ? name : `${name}-${index + 1}`,
    );
    try {
      const up = await startAll(
        names.map((host) => () => startInstance(measuredAs(target, host), verified, settings)),
        (instance) => instance.stop(),
      );
      this.#running.set(name, new TargetUnderLoad(target, request, up));
    } catch (problem) {
      if (!this.#aborted) {
        await this.#drop(name, `its hosts do not start. ${messageOf(problem)}`);
      }
    }
  }

  /** Warms up a target; one that then answers otherwise than in preflight is dropped. */
  async #warmUp(up: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { measuring, manifest, needs } = this.work;
    const { name } = up.target;
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
      const detail = `${name} in ${manifest.id}, trial ${this.trial + 1}: ${describeShortWarmUp(short)}`;
      this.#event("warmup-unstable", name, detail);
    }
  }

  /** Takes a target out of the trial, and says why. */
  async #drop(name: string, why: string): Promise<void> {
    const up = this.#running.get(name);
    this.#running.delete(name);
    const detail = `${name} was dropped from trial ${this.trial + 1} of ${this.work.manifest.id}: ${why}`;
    this.#event("target-dropped", name, detail);
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
        const place = `${name} in ${this.work.manifest.id}, trial ${this.trial + 1}`;
        this.#event("error-budget", name, `${place}: ${budget.describe()}, ${where}`);
      }
    }
  }

  #event(kind: RunEvent["kind"], target: string, detail: string): void {
    const { measuring, manifest } = this.work;
    measuring.recorder.event(kind, detail, { caseId: manifest.id, target, trial: this.trial });
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
