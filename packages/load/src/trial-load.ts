import { messageOf, pathWith } from "@evenbench/core";
import { interleave } from "@evenbench/probe";
import type { LoadStage, OfferedLoad } from "@evenbench/results";
import { deriveSeed } from "@evenbench/runner/engine";
import { StageTally } from "./analysis/stage-summary.ts";
import { runStage, type StageOutcome, type StageTerms } from "./engine/stage.ts";
import { TargetUnderLoad } from "./engine/target-under-load.ts";
import type { LoadProgress, TargetChoice } from "./options.ts";
import { describeShortWarmUp, stagesPerTrial, warmUpShares } from "./plan.ts";
import { type CaseLoad, processesOf, recordStage, warmUpTarget } from "./session.ts";

export interface StageResult {
  readonly stage: LoadStage;
  readonly tally: StageTally;
}

export class TrialLoad {
  readonly work: CaseLoad;
  readonly trial: number;
  readonly #running = new Map<string, TargetUnderLoad>();
  #stagesDone = 0;

  private constructor(work: CaseLoad, trial: number) {
    this.work = work;
    this.trial = trial;
  }

  static async start(work: CaseLoad, trial: number, caseEndsAt: number): Promise<TrialLoad> {
    const one = new TrialLoad(work, trial);
    one.#show("start", null, null);
    work.session.measuring.signal.addEventListener("abort", one.#closeConnections, { once: true });
    const order = interleave(work.choices, one.seedOf("start"))();
    await Promise.all(order.map((choice) => one.#startTarget(choice)));
    const up = [...one.#running.values()];
    const connections = up.reduce((sum, { choice }) => sum + processesOf(choice), 0);
    const nextEnd = warmUpShares(caseEndsAt, connections);
    for (const target of up) await one.#warmUp(target, nextEnd);
    return one;
  }

  get targets(): readonly string[] {
    return this.work.choices.map(({ name }) => name).filter((name) => this.#running.has(name));
  }

  get aborted(): boolean {
    return this.work.session.measuring.signal.aborted;
  }

  seedOf(...purpose: readonly (string | number)[]): number {
    const { session, manifest } = this.work;
    return deriveSeed(session.plan.seed, manifest.id, this.trial, ...purpose);
  }

  async stage(name: string, load: OfferedLoad, stageMs: number): Promise<StageResult | null> {
    const { session, manifest } = this.work;
    const { measuring, options } = session;
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
      runStartedAt: measuring.startedAt,
      signal: measuring.signal,
      account: () => target.account(),
      onWindow: () => options.onWindow?.(name, load, target.pids()),
      sample(sample) {
        recorder.sample({ stage: index, ...sample });
        tally.push({ stage: index, ...sample });
      },
    });
    const stage = { caseId: manifest.id, target: name, trial: this.trial, load, ...outcome };
    await recordStage(recorder, stage);
    this.#stagesDone += 1;
    await this.#lookAfter(target, stage);
    return { stage, tally };
  }

  async #offer(target: TargetUnderLoad, index: number, terms: StageTerms): Promise<StageOutcome> {
    const { measuring, options } = this.work.session;
    const { exchangeTimeoutMs } = measuring.instanceSettings;
    if (options.engine) {
      return options.engine.runStage({ ...terms, origins: target.urls, exchangeTimeoutMs });
    }
    const { load } = terms;
    await target.open(load.connections);
    return runStage({
      ...terms,
      seed: this.seedOf("arrivals", target.choice.name, index),
      connections: target.connections(load.connections),
      ownCores: measuring.hasOwnCores,
    });
  }

  async stop(): Promise<void> {
    this.work.session.measuring.signal.removeEventListener("abort", this.#closeConnections);
    await Promise.all([...this.#running.values()].map((target) => target.stop()));
    this.#running.clear();
  }

  async #startTarget(choice: TargetChoice): Promise<void> {
    const { identities, measuring } = this.work.session;
    const verified = identities[choice.target.name];
    if (verified === undefined) throw new Error(`${choice.target.name} was not seen by preflight.`);
    const path = pathWith(this.work.manifest.path, choice.parameters);
    const asked = { path, expected: this.work.expectedOf(choice) };
    try {
      const target = await TargetUnderLoad.start(choice, asked, verified, measuring.instanceSettings);
      this.#running.set(choice.name, target);
    } catch (problem) {
      if (!this.aborted) this.#note(choice.name, `its hosts do not start. ${messageOf(problem)}`);
    }
  }

  async #warmUp(target: TargetUnderLoad, nextEnd: () => number): Promise<void> {
    const { session, manifest, warmUps } = this.work;
    const { choice } = target;
    const { signal } = session.measuring;
    const terms = { needs: warmUps, target: warmUpTarget(choice, manifest), signal, nextEnd };
    const short = this.aborted ? null : await target.warmUp(terms);
    const wrong = this.aborted ? null : await target.prove();
    if (this.aborted) return;
    if (wrong !== null) await this.#drop(target, `it does not answer as in preflight. ${wrong}`);
    else if (short !== null) {
      const detail = `${choice.name} in ${manifest.id}, trial ${this.trial + 1}: ${describeShortWarmUp(short)}`;
      this.#event("warmup-unstable", choice.name, detail);
    }
  }

  /** A target that answers otherwise than before, or not at all, takes no more load. */
  async #lookAfter(target: TargetUnderLoad, { ended }: LoadStage): Promise<void> {
    if (this.aborted) return;
    const wrong = ended ?? (await target.prove());
    if (wrong === null || this.aborted) return;
    await this.#drop(target, `after a stage: ${(await target.causeOfDeath()) ?? wrong}`);
  }

  async #drop(target: TargetUnderLoad, why: string): Promise<void> {
    this.#running.delete(target.choice.name);
    this.#note(target.choice.name, why);
    await target.stop();
  }

  #note(name: string, why: string): void {
    const detail = `${name} was dropped from trial ${this.trial + 1} of ${this.work.manifest.id}: ${why}`;
    this.#event("target-dropped", name, detail);
  }

  #event(kind: "target-dropped" | "warmup-unstable", target: string, detail: string): void {
    const { session, manifest } = this.work;
    session.measuring.recorder.event(kind, detail, { caseId: manifest.id, target, trial: this.trial });
  }

  #closeConnections = (): void => {
    for (const target of this.#running.values()) void target.closeConnections();
  };

  #show(phase: LoadProgress["phase"], target: string | null, load: OfferedLoad | null): void {
    const { options, plan } = this.work.session;
    const most = stagesPerTrial(options.goal, this.work.choices.length);
    options.onProgress?.({
      phase,
      caseId: this.work.manifest.id,
      trial: this.trial,
      trials: plan.trials,
      target,
      load,
      stagesDone: this.trial * most + this.#stagesDone,
      stagesMost: plan.trials * most,
    });
  }
}
