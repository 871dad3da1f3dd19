import type { LoadStage, OfferedLoad } from "@evenbench/core";
import { interleave } from "@evenbench/probe";
import { deriveSeed } from "@evenbench/runner/engine";
import { StageTally } from "./analysis/stage-summary.ts";
import type { CaseLoad } from "./case-load.ts";
import { runStage } from "./engine/stage.ts";
import { RunningSubject } from "./engine/subject.ts";
import type { LoadProgress, SubjectChoice } from "./options.ts";
import { stagesPerSet } from "./plan/stage-time.ts";

/** One stage that was run. */
export interface StageResult {
  readonly stage: LoadStage;
  readonly tally: StageTally;
}

/** One set of fresh instances of all subjects: one stage at a time is run on one of them. */
export class SetLoad {
  readonly work: CaseLoad;
  readonly set: number;
  readonly #running = new Map<string, RunningSubject>();
  #stagesDone = 0;

  private constructor(work: CaseLoad, set: number) {
    this.work = work;
    this.set = set;
  }

  /** Starts and warms up what can be started; what cannot is dropped from this set. */
  static async start(work: CaseLoad, set: number): Promise<SetLoad> {
    const one = new SetLoad(work, set);
    one.#show("start", null, null);
    work.session.signal.addEventListener("abort", one.#closeConnections, { once: true });
    const order = interleave(work.choices, one.seedOf("start"))();
    await Promise.all(order.map((choice) => one.#startSubject(choice)));
    for (const name of [...one.#running.keys()]) await one.#warmUp(name);
    return one;
  }

  /** Those that are up, in the order of the plan. */
  get subjects(): readonly string[] {
    return this.work.choices.map(({ name }) => name).filter((name) => this.#running.has(name));
  }

  get aborted(): boolean {
    return this.work.session.signal.aborted;
  }

  /** A seed of its own for each purpose in this set. */
  seedOf(...purpose: readonly (string | number)[]): number {
    const { session, manifest } = this.work;
    return deriveSeed(session.plan.seed, manifest.id, this.set, ...purpose);
  }

  /**
   * Runs one stage and records it.
   *
   * @returns null when the subject does not run (any more), or the run was aborted.
   */
  async stage(name: string, load: OfferedLoad, stageMs: number): Promise<StageResult | null> {
    const { session, manifest, expected } = this.work;
    const { recorder, options } = session;
    const subject = this.#running.get(name);
    if (subject === undefined || this.aborted) return null;
    this.#show("load", name, load);
    await subject.open(load.lanes, this.#pathFor(subject.choice), expected);
    const tally = new StageTally();
    const index = recorder.nextStage;
    const outcome = await runStage({
      load,
      stageMs,
      seed: this.seedOf("arrivals", name, index),
      lanes: subject.lanes(load.lanes),
      path: this.#pathFor(subject.choice),
      expected,
      ownCores: session.ownCores,
      runStartedAt: session.startedAt,
      signal: session.signal,
      account: () => subject.account(),
      onWindow: () => options.onWindow?.(name, load, subject.pids()),
      sample(sample) {
        recorder.sample({ stage: index, ...sample });
        tally.push({ stage: index, ...sample });
      },
    });
    const stage = { caseId: manifest.id, subject: name, set: this.set, load, ...outcome };
    await recorder.stage(stage);
    this.#stagesDone += 1;
    await this.#lookAfter(subject, stage);
    return { stage, tally };
  }

  async stop(): Promise<void> {
    this.work.session.signal.removeEventListener("abort", this.#closeConnections);
    await Promise.all([...this.#running.values()].map((subject) => subject.stop()));
    this.#running.clear();
  }

  async #startSubject(choice: SubjectChoice): Promise<void> {
    const { identities, settings } = this.work.session;
    const verified = identities[choice.target.name];
    if (verified === undefined) throw new Error(`${choice.target.name} was not seen by preflight.`);
    try {
      this.#running.set(choice.name, await RunningSubject.start(choice, verified, settings));
    } catch (problem) {
      this.#note(choice.name, `its hosts do not start. ${messageOf(problem)}`);
    }
  }

  async #warmUp(name: string): Promise<void> {
    const { session, expected, manifest } = this.work;
    const subject = this.#running.get(name);
    if (subject === undefined || this.aborted) return;
    const path = this.#pathFor(subject.choice);
    const steady = await subject.warmUp(path, expected, session.signal);
    const wrong = this.aborted ? null : await subject.prove(path, expected);
    if (wrong !== null && !this.aborted)
      await this.#drop(subject, `it does not answer as in preflight. ${wrong}`);
    else if (!steady && !this.aborted) {
      const detail = `${name} in ${manifest.id}: its warm-up ended at its bound, not yet steady.`;
      session.recorder.event("warmup-unstable", detail, {
        caseId: manifest.id,
        target: name,
        generation: this.set,
      });
    }
  }

  /** A subject that answers otherwise than before, or not at all, takes no more load. */
  async #lookAfter(subject: RunningSubject, { ended }: LoadStage): Promise<void> {
    if (this.aborted) return;
    const wrong = ended ?? (await subject.prove(this.#pathFor(subject.choice), this.work.expected));
    if (wrong === null || this.aborted) return;
    await this.#drop(subject, `after a stage: ${(await subject.causeOfDeath()) ?? wrong}`);
  }

  async #drop(subject: RunningSubject, why: string): Promise<void> {
    this.#running.delete(subject.choice.name);
    this.#note(subject.choice.name, why);
    await subject.stop();
  }

  #note(name: string, why: string): void {
    const { session, manifest } = this.work;
    const detail = `${name} was dropped from set ${this.set + 1} of ${manifest.id}: ${why}`;
    session.recorder.event("target-dropped", detail, {
      caseId: manifest.id,
      target: name,
      generation: this.set,
    });
  }

  #pathFor({ parameters }: SubjectChoice): string {
    const query = new URLSearchParams(
      Object.entries(parameters).map(([name, value]) => [name, String(value)]),
    ).toString();
    return this.work.manifest.path + (query === "" ? "" : `?${query}`);
  }

  #closeConnections = (): void => {
    for (const subject of this.#running.values()) subject.closeConnections();
  };

  #show(phase: LoadProgress["phase"], subject: string | null, load: OfferedLoad | null): void {
    const { options, plan } = this.work.session;
    const most = stagesPerSet(options.goal, this.work.choices.length);
    options.onProgress?.({
      phase,
      caseId: this.work.manifest.id,
      set: this.set,
      sets: plan.sets,
      subject,
      load,
      stagesDone: this.set * most + this.#stagesDone,
      stagesMost: plan.sets * most,
    });
  }
}

function messageOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}
