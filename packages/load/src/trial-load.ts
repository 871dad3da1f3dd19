import { addAbortListener } from "node:events";
import { type CaseManifest, messageOf } from "@evenbench/core";
import { startAll } from "@evenbench/host";
import { interleave } from "@evenbench/probe";
import type { LoadPlan, OfferedLoad } from "@evenbench/results";
import {
  deriveSeed,
  expectationOf,
  type Proved,
  pathOf,
  startInstance,
  type WarmUpNeeds,
} from "@evenbench/runner";
import { sum } from "@evenbench/stats";
import { type StageSummary, summarise } from "./analysis.ts";
import { type PlayedStage, runStage, type StageTerms } from "./engine/stage.ts";
import { TargetUnderLoad } from "./engine/target-under-load.ts";
import type { LoadedTarget, LoadMeasuring, LoadOptions, LoadProgress } from "./options.ts";
import { describeShortWarmUp, measuredAs, processesOf, stagesPerTrial, warmUpShares } from "./plan.ts";

export interface CaseLoad {
  readonly options: LoadOptions;
  readonly plan: LoadPlan;
  readonly measuring: LoadMeasuring;
  readonly proved: Proved;
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
      for (const target of this.#running.values()) void target.closeConnections();
    });
  }

  async start(caseEndsAt: number): Promise<void> {
    this.#show("start", null, null);
    const order = interleave(this.work.targets, this.seedOf("start"))();
    await Promise.all(order.map((target) => this.#startTarget(target)));
    const up = [...this.#running.values()];
    const nextEnd = warmUpShares(caseEndsAt, sum(up.map(({ target }) => processesOf(target))));
    for (const target of up) await this.#warmUp(target, nextEnd);
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
    if (up === undefined || this.#aborted) return null;
    this.#show("load", name, load);
    const index = recorder.record.stages.length;
    const { outcome, samples } = await this.#offer(up, index, {
      ...{ load, stageMs, ...up.request, runStartedAt: recorder.startedAt, signal },
      account: () => up.account(),
      onWindow: () => options.onWindow?.(up.pids()),
    });
    const stage = { caseId: manifest.id, target: name, trial: this.trial, load, ...outcome };
    for (const sample of samples) recorder.sample({ stage: index, ...sample });
    recorder.flush();
    recorder.add("stages", stage);
    await recorder.save();
    this.#stagesDone += 1;
    // A target that answers otherwise than before, or not at all, takes no more load.
    const wrong = this.#aborted ? null : (outcome.ended ?? (await up.prove()));
    if (wrong !== null && !this.#aborted)
      await this.#drop(name, `after a stage: ${(await up.causeOfDeath()) ?? wrong}`);
    return summarise(stage, samples, plan.condition);
  }

  async #offer(up: TargetUnderLoad, index: number, terms: StageTerms): Promise<PlayedStage> {
    const { measuring, options } = this.work;
    if (options.engine) {
      const { runK6Stage } = await import("./k6.ts");
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
    if (verified === undefined) throw new Error(`${name} was not seen by preflight.`);
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
      if (!this.#aborted) await this.#drop(name, `its hosts do not start. ${messageOf(problem)}`);
    }
  }

  async #warmUp(up: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { measuring, manifest, needs } = this.work;
    const { name } = up.target;
    const short = await up.warmUp(needs, nextEnd, measuring.signal);
    const wrong = this.#aborted ? null : await up.prove();
    if (this.#aborted) return;
    if (wrong !== null) await this.#drop(name, `it does not answer as in preflight. ${wrong}`);
    else if (short !== null) {
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
      ...{ phase, caseId: manifest.id, trial: this.trial, trials: plan.trials, target, load },
      stagesDone: this.trial * most + this.#stagesDone,
      stagesMost: plan.trials * most,
    });
  }
}
