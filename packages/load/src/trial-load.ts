import { addAbortListener } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type CaseManifest, messageOf } from "@evenbench/core";
import { accountant, type ProcessAccount, startAll } from "@evenbench/host";
import { checkBody, type ExchangeError, interleave, type Probe } from "@evenbench/probe";
import type { LoadPlan, OfferedLoad } from "@evenbench/results";
import {
  type CaseRequest,
  type ConnectionWarmUp,
  deriveSeed,
  expectationOf,
  type Instance,
  type PreflightOutcome,
  pathOf,
  refuseClientLimit,
  startInstance,
  type WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { describeOtherAnswers, type StageSummary, summarise } from "./analysis.ts";
import { type PlayedStage, runStage, type StageTerms } from "./engine/stage.ts";
import type { LoadedTarget, LoadMeasuring, LoadOptions, LoadProgress } from "./options.ts";
import { describeShortWarmUp, measuredAs, processesOf, stagesPerTrial, warmUpShares } from "./plan.ts";

/** A cluster may be starting a worker in the place of one that died. */
const RECOVERY_MS = 3000;
const TRY_AGAIN_MS = 100;

class TargetUnderLoad {
  readonly target: LoadedTarget;
  readonly request: CaseRequest;
  readonly instances: readonly Instance[];
  readonly #probes: Probe[] = [];

  constructor(target: LoadedTarget, request: CaseRequest, instances: readonly Instance[]) {
    this.target = target;
    this.request = request;
    this.instances = instances;
  }

  /** The client's are spread over its instances in turn. */
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
   * A cluster hands connections to its workers in turn, so that as many as workers reach each.
   *
   * @returns the first that did not become warm.
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
      const { readCost } = this.#instanceOf(index);
      const terms = { needs, target: measuredAs(this.target), endsAt: nextEnd(), signal };
      const done = await warmConnection({ name, probe, ...this.request, readCost }, terms);
      if (!done.warm) {
        short ??= done;
      }
    }
    return short;
  }

  /** Before a stage: a busy server takes new ones so late that those opened under load are starved. */
  async open(count: number): Promise<readonly Probe[]> {
    const { path, expected } = this.request;
    const probes = this.connections(count);
    await Promise.all(probes.map((probe) => probe.exchange(path, expected)));
    return probes;
  }

  /** @returns why it does not answer as in preflight; null where it does. */
  async prove(): Promise<ExchangeError | null> {
    const { path, expected } = this.request;
    const recoversBy = performance.now() + RECOVERY_MS;
    for (const probe of this.connections(this.instances.length)) {
      for (;;) {
        const exchange = await probe.exchange(path, expected, { digest: true });
        checkBody(exchange, expected);
        const { error } = exchange;
        if (error === null) {
          break;
        }
        refuseClientLimit(error);
        const mayPass = error.kind === "connection" || error.kind === "client-pause";
        if (!mayPass || performance.now() >= recoversBy) {
          return error;
        }
        await delay(TRY_AGAIN_MS);
      }
    }
    return null;
  }

  account(): Promise<ProcessAccount | null> {
    return accountant.read(this.pids());
  }

  pids(): readonly number[] {
    return this.instances.flatMap((instance) => instance.pids());
  }

  async causeOfDeath(): Promise<string | null> {
    const causes = await Promise.all(this.instances.map((instance) => instance.causeOfDeath()));
    return causes.find((cause) => cause !== null) ?? null;
  }

  async stop(): Promise<void> {
    await this.closeConnections();
    await Promise.all(this.instances.map((instance) => instance.stop()));
  }

  async closeConnections(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.close()));
  }
}

function describeError(error: ExchangeError | null): string | null {
  return error === null ? null : `${error.kind}: ${error.detail}`;
}

export interface CaseLoad {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly measuring: LoadMeasuring;
  readonly proved: PreflightOutcome;
  readonly manifest: CaseManifest;
  readonly targets: readonly LoadedTarget[];
  readonly needs: WarmUpNeeds;
}

export class TrialLoad implements AsyncDisposable {
  readonly work: CaseLoad;
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

  get targets(): readonly string[] {
    return this.work.targets.map(({ name }) => name).filter((name) => this.#running.has(name));
  }

  seedOf(...purpose: readonly (string | number)[]): number {
    const { plan, manifest } = this.work;
    return deriveSeed(plan.seed, manifest.id, this.trial, ...purpose);
  }

  get #aborted(): boolean {
    return this.work.measuring.signal.aborted;
  }

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
    for (const sample of samples) {
      recorder.sample({ stage: index, ...sample });
    }
    recorder.flush();
    recorder.add("stages", stage);
    await recorder.save();
    this.#stagesDone += 1;
    for (const { error } of samples) {
      refuseClientLimit(error);
    }
    // A target that answers otherwise than before, or not at all, takes no more load.
    const reason = outcome.ended ?? describeError(wrong) ?? describeOtherAnswers(samples);
    if (reason !== null && !this.#aborted) {
      await this.#drop(name, `after a stage: ${(await up.causeOfDeath()) ?? reason}`);
    }
    return summarise(stage, samples, plan.condition);
  }

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
    await Promise.all([...this.#running.values()].map((target) => target.stop()));
  }

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

  async #warmUp(up: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { measuring, manifest, needs } = this.work;
    const { name } = up.target;
    const short = await up.warmUp(needs, nextEnd, measuring.signal);
    const wrong = this.#aborted ? null : await up.prove();
    if (this.#aborted) {
      return;
    }
    if (wrong !== null) {
      await this.#drop(name, `it does not answer as in preflight. ${describeError(wrong)}`);
    } else if (short !== null) {
      const detail = `${name} in ${manifest.id}, trial ${this.trial + 1}: ${describeShortWarmUp(short)}`;
      this.#event("warmup-unstable", name, detail);
    }
  }

  async #drop(name: string, why: string): Promise<void> {
    const up = this.#running.get(name);
    this.#running.delete(name);
    const detail = `${name} was dropped from trial ${this.trial + 1} of ${this.work.manifest.id}: ${why}`;
    this.#event("target-dropped", name, detail);
    await up?.stop();
  }

  #event(kind: "target-dropped" | "warmup-unstable", target: string, detail: string): void {
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
      load,
      stagesDone: this.trial * most + this.#stagesDone,
      stagesMost: plan.trials * most,
    });
  }
}
