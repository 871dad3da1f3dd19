import { join } from "node:path";
import type { LoadRun, LoadSample, LoadStage, RunEvent } from "@evenbench/core";
import { LOAD_FILE, SampleWriter, writeWhole } from "@evenbench/results";

/** What an event is about. */
type EventSubject = Partial<Pick<RunEvent, "caseId" | "target" | "generation">>;

/** Puts a load run into its folder: samples and `load.json` after each stage, when nothing is being timed. */
export class LoadRecorder {
  readonly #folder: string;
  readonly #startedAt: number;
  readonly #writer: SampleWriter<LoadSample>;
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  #run: LoadRun;

  /**
   * @param startedAt `performance.now()` at the start of the run.
   * @throws {ResultsError} when the folder cannot be written.
   */
  constructor(
    folder: string,
    startedAt: number,
    run: LoadRun,
    onEvent: ((event: RunEvent) => void) | undefined,
  ) {
    this.#folder = folder;
    this.#startedAt = startedAt;
    this.#run = run;
    this.#onEvent = onEvent;
    this.#writer = new SampleWriter(folder);
  }

  /** The index of the stage that comes next. */
  get nextStage(): number {
    return this.#run.stages.length;
  }

  get hasFailures(): boolean {
    return this.#run.events.some(({ kind }) => kind === "target-dropped" || kind === "case-failed");
  }

  event(kind: RunEvent["kind"], detail: string, subject: EventSubject = {}): void {
    const { caseId = null, target = null, generation = null } = subject;
    const event = { atMs: performance.now() - this.#startedAt, kind, caseId, target, generation, detail };
    this.#run = { ...this.#run, events: [...this.#run.events, event] };
    this.#onEvent?.(event);
  }

  /** Only queues. */
  sample(sample: LoadSample): void {
    this.#writer.append(sample);
  }

  async stage(stage: LoadStage): Promise<void> {
    this.#writer.flush();
    await this.save({ stages: [...this.#run.stages, stage] });
  }

  async save(changes: Partial<LoadRun> = {}): Promise<LoadRun> {
    this.#run = { ...this.#run, ...changes };
    await writeWhole(join(this.#folder, LOAD_FILE), `${JSON.stringify(this.#run, null, 2)}\n`);
    return this.#run;
  }

  close(): void {
    this.#writer.close();
  }
}
