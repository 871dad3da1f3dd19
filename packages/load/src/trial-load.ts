import { addAbortListener } from "node:events";
import { type CaseManifest, messageOf } from "@evenbench/core";
import { interleave } from "@evenbench/probe";
import type { LoadPlan, LoadStage, OfferedLoad } from "@evenbench/results";
import { deriveSeed, expectationOf, type Proved, pathOf, type WarmUpNeeds } from "@evenbench/runner";
import { type StageSummary, StageTally } from "./analysis.ts";
import { runStage, type StageOutcome, type StageTerms } from "./engine/stage.ts";
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
  readonly warmUps: WarmUpNeeds;
}

export class TrialLoad {
  readonly work: CaseLoad;
  readonly trial: number;
  readonly #running = new Map<string, TargetUnderLoad>();
  readonly #abortion: Disposable;
  #stagesDone = 0;

  private constructor(work: CaseLoad, trial: number) {
    this.work = work;
    this.trial = trial;
    this.#abortion = addAbortListener(work.measuring.signal, () => {
      for (const target of this.#running.values()) void target.closeConnections();
    });
  }

  static async start(work: CaseLoad, trial: number, caseEndsAt: number): Promise<TrialLoad> {
    const begun = new TrialLoad(work, trial);
    begun.#show("start", null, null);
    const order = interleave(work.targets, begun.seedOf("start"))();
    await Promise.all(order.map((target) => begun.#startTarget(target)));
    const up = [...begun.#running.values()];
    const connections = up.reduce((sum, { target }) => sum + processesOf(target), 0);
    const nextEnd = warmUpShares(caseEndsAt, connections);
    for (const target of up) await begun.#warmUp(target, nextEnd);
    return begun;
  }

  get targets(): readonly string[] {
    return this.work.targets.map(({ name }) => name).filter((name) => this.#running.has(name));
  }

  get aborted(): boolean {
    return this.work.measuring.signal.aborted;
  }

  seedOf(...purpose: readonly (string | number)[]): number {
    const { plan, manifest } = this.work;
    return deriveSeed(plan.seed, manifest.id, this.trial, ...purpose);
  }

  async stage(name: string, load: OfferedLoad, stageMs: number): Promise<StageSummary | null> {
    const { measuring, options, plan, manifest } = this.work;
    const { recorder } = measuring;
    const target = this.#running.get(name);
    if (target === undefined || this.aborted) return null;
    this.#show("load", name, load);
    const tally = new StageTally();
    const index = recorder.record.stages.length;
    const outcome = await this.#offer(target, index, {
      load,
      stageMs,
      ...target.asked,
      runStartedAt: measuring.recorder.startedAt,
      signal: measuring.signal,
      account: () => target.account(),
      onWindow: () => options.onWindow?.(target.pids()),
      sample(sample) {
        recorder.sample({ stage: index, ...sample });
        tally.push({ stage: index, ...sample });
      },
    });
    const stage = { caseId: manifest.id, target: name, trial: this.trial, load, ...outcome };
    recorder.flush();
    recorder.add("stages", stage);
    await recorder.save();
    this.#stagesDone += 1;
    await this.#lookAfter(target, stage);
    return tally.summarise(stage, plan.condition);
  }

  async #offer(target: TargetUnderLoad, index: number, terms: StageTerms): Promise<StageOutcome> {
    const { measuring, options } = this.work;
    const { exchangeTimeoutMs } = measuring.instanceSettings;
    if (options.engine) {
      return options.engine.runStage({ ...terms, origins: target.urls, exchangeTimeoutMs });
    }
    const { load } = terms;
    await target.open(load.connections);
    return runStage({
      ...terms,
      seed: this.seedOf("arrivals", target.target.name, index),
      connections: target.connections(load.connections),
      ownCores: measuring.hasOwnCores,
    });
  }

  async stop(): Promise<void> {
    this.#abortion[Symbol.dispose]();
    await Promise.all([...this.#running.values()].map((target) => target.stop()));
    this.#running.clear();
  }

  async #startTarget(target: LoadedTarget): Promise<void> {
    const { proved, measuring, manifest } = this.work;
    const { name } = target;
    const verified = proved.identities[name];
    if (verified === undefined) throw new Error(`${name} was not seen by preflight.`);
    const asked = { path: pathOf(target, manifest), expected: expectationOf(proved, manifest.id, name) };
    try {
      const up = await TargetUnderLoad.start(target, asked, verified, measuring.instanceSettings);
      this.#running.set(name, up);
    } catch (problem) {
      if (!this.aborted) this.#note(name, `its hosts do not start. ${messageOf(problem)}`);
    }
  }

  async #warmUp(up: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { measuring, manifest, warmUps } = this.work;
    const { name } = up.target;
    const terms = { needs: warmUps, target: measuredAs(up.target), signal: measuring.signal };
    const short = this.aborted ? null : await up.warmUp(terms, nextEnd);
    const wrong = this.aborted ? null : await up.prove();
    if (this.aborted) return;
    if (wrong !== null) await this.#drop(up, `it does not answer as in preflight. ${wrong}`);
    else if (short !== null) {
      const detail = `${name} in ${manifest.id}, trial ${this.trial + 1}: ${describeShortWarmUp(short)}`;
      this.#event("warmup-unstable", name, detail);
    }
  }

  /** A target that answers otherwise than before, or not at all, takes no more load. */
  async #lookAfter(target: TargetUnderLoad, { ended }: LoadStage): Promise<void> {
    if (this.aborted) return;
    const wrong = ended ?? (await target.prove());
    if (wrong === null || this.aborted) return;
    await this.#drop(target, `after a stage: ${(await target.causeOfDeath()) ?? wrong}`);
  }

  async #drop(up: TargetUnderLoad, why: string): Promise<void> {
    this.#running.delete(up.target.name);
    this.#note(up.target.name, why);
    await up.stop();
  }

  #note(name: string, why: string): void {
    const detail = `${name} was dropped from trial ${this.trial + 1} of ${this.work.manifest.id}: ${why}`;
    this.#event("target-dropped", name, detail);
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
