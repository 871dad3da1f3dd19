import type { ProviderJoin, Run, RunEvent, Sample } from "@evenbench/core";
import { SampleWriter, writeProviderCpu, writeRun } from "@evenbench/results";

/** What an event is about; what is left out does not apply. */
export type EventSubject = Partial<Pick<RunEvent, "caseId" | "target" | "generation">>;

/** What a run gathers beside samples and events. */
type RunList = "usage" | "clientLoad" | "timelines" | "coldStarts";

/** Puts a run into its folder as it happens: samples as they come, `run.json` whenever asked. */
export class Recorder {
  readonly #folder: string;
  readonly #startedAt: number;
  readonly #writer: SampleWriter;
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  #run: Omit<Run, "events">;
  #events: RunEvent[] = [];

  /**
   * @param startedAt `performance.now()` at the start of the run.
   * @throws {ResultsError} when the folder cannot be written.
   */
  constructor(
    folder: string,
    startedAt: number,
    run: Omit<Run, "events">,
    onEvent: ((event: RunEvent) => void) | undefined,
  ) {
    this.#folder = folder;
    this.#startedAt = startedAt;
    this.#run = run;
    this.#onEvent = onEvent;
    this.#writer = new SampleWriter(folder);
  }

  event(kind: RunEvent["kind"], detail: string, subject: EventSubject = {}): void {
    const { caseId = null, target = null, generation = null } = subject;
    const event = { atMs: performance.now() - this.#startedAt, kind, caseId, target, generation, detail };
    this.#events.push(event);
    this.#onEvent?.(event);
  }

  /** Adds to one of the run's lists; it goes into `run.json` with the next `save`. */
  add<K extends RunList>(list: K, entry: Run[K][number]): void {
    this.#run = { ...this.#run, [list]: [...this.#run[list], entry] };
  }

  /** What platforms accounted to requests, joined to their samples. */
  async providerAccounts(joins: readonly ProviderJoin[]): Promise<void> {
    await writeProviderCpu(this.#folder, joins);
  }

  has(kind: RunEvent["kind"]): boolean {
    return this.#events.some((event) => event.kind === kind);
  }

  /** Only queues: call `flush` between rounds. */
  sample(sample: Sample): void {
    this.#writer.append(sample);
  }

  flush(): void {
    this.#writer.flush();
  }

  /** Writes `run.json` with everything known by now. */
  async save(changes: Partial<Omit<Run, "events">> = {}): Promise<Run> {
    this.#run = { ...this.#run, ...changes };
    const run = { ...this.#run, events: this.#events };
    await writeRun(this.#folder, run);
    return run;
  }

  close(): void {
    this.#writer.close();
  }
}
