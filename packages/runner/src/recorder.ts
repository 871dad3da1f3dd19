import { join } from "node:path";
import { version } from "@evenbench/host";
import {
  type AskedFor,
  type Run,
  type RunEvent,
  type RunFolder,
  type RunMachine,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  writeJson,
} from "@evenbench/results";
import { describeClockStep, RunClock } from "./clock.ts";
import type { ToldEvent } from "./options.ts";

/** The beginning of every measurement's record. */
export interface RecordShell
  extends Pick<Run, "id" | "startedAt" | "finishedAt" | "status" | "evenbenchVersion" | "events">,
    AskedFor {
  readonly machine: RunMachine;
}

/** The part of a measurement's record that a session writes by itself. */
export type MeasurementRecord = Pick<RecordShell, "status" | "finishedAt" | "events">;

/** How a measurement ended. */
export type Ended = Exclude<Run["status"], "running">;

/** How a measurement is recorded. */
export interface RecordPlan<R extends MeasurementRecord> {
  /** The command line that asks for the measurement. Default: none did. */
  readonly asked?: AskedFor | undefined;
  /** Name of the record's file, such as "run.json". */
  readonly file: string;
  /** Gives the record's fields about the samples that were written; null where none are written. */
  readonly ofSamples: ((written: SamplesDigest) => Partial<R>) | null;
  /** The record as it is when the measurement begins. */
  firstEntry(shell: RecordShell): R;
  readonly onEvent?: ((event: ToldEvent) => void) | undefined;
}

/** A recorder of which only events are used. */
export type EventSink = Pick<Recorder<MeasurementRecord>, "event">;
/** The recorder of a run. */
export type RunRecorder = Recorder<Run, Sample>;

/**
 * Writes a measurement's record and samples. All methods that write throw a `ResultsError` if they cannot.
 *
 * @typeParam S one sample; never where there are none.
 */
export class Recorder<R extends MeasurementRecord, S = never> {
  /** Absolute path of the measurement's folder. */
  readonly folder: string;
  readonly #clock = new RunClock();
  readonly #plan: RecordPlan<R>;
  readonly #writer: SampleWriter<S> | null;
  #record: R;

  constructor(plan: RecordPlan<R>, { id, folder }: RunFolder, machine: RunMachine) {
    this.folder = folder;
    this.#plan = plan;
    this.#writer = plan.ofSamples === null ? null : new SampleWriter(folder);
    this.#record = plan.firstEntry({
      id,
      startedAt: this.#clock.startedAt,
      finishedAt: null,
      status: "running",
      evenbenchVersion: version,
      ...plan.asked,
      machine,
      events: [],
    });
  }

  /** The moment at which the measurement began, by `performance.now()`. */
  get startedAt(): number {
    return this.#clock.startedAtMs;
  }

  /** The record as it is at present. */
  get record(): R {
    return this.#record;
  }

  /** Adds an event to the record, and reports it with the ends of logs that it quotes. */
  event(
    kind: RunEvent["kind"],
    detail: string,
    { caseId = null, target = null, trial = null, quotes = [], ...further }: Partial<ToldEvent> = {},
  ): void {
    const event = { atMs: this.#clock.elapsedMs(), kind, caseId, target, trial, detail, ...further };
    this.#record = { ...this.#record, events: [...this.#record.events, event] };
    this.#plan.onEvent?.({ ...event, quotes });
  }

  /** Adds an event if the wall clock was set since the last call. */
  checkClocks(): void {
    const stepMs = this.#clock.newStepMs();
    if (stepMs === null) {
      return;
    }
    this.event("clock-stepped", describeClockStep(stepMs));
  }

  /** Tells whether the record has an event of this kind. */
  has(kind: RunEvent["kind"]): boolean {
    return this.#record.events.some((event) => event.kind === kind);
  }

  /** Adds an entry to one of the record's lists. */
  add<K extends keyof R>(
    list: K,
    entry: NonNullable<R[K]> extends readonly (infer Entry)[] ? Entry : never,
  ): void {
    const before = this.#record[list] as readonly unknown[];
    this.#record = { ...this.#record, [list]: [...before, entry] };
  }

  /** Writes a sample, at the latest with the next `flush`. */
  sample(sample: S): void {
    this.#writer?.append(sample);
  }

  /** Writes the samples that are held back until now. */
  flush(): void {
    this.#writer?.flush();
  }

  /** Changes fields of the record, and writes it. */
  async save(changes: Partial<Omit<R, "events">> = {}): Promise<R> {
    this.#record = { ...this.#record, ...changes };
    await writeJson(join(this.folder, this.#plan.file), this.#record);
    return this.#record;
  }

  /** Writes the record for the last time. A measurement whose samples cannot be written has failed. */
  async end(status: Ended): Promise<R> {
    let ended = status;
    let problem = null as unknown;
    try {
      this.flush();
    } catch (error) {
      ended = "failed";
      problem = error;
    }
    const ofSamples = this.#writer === null ? {} : this.#plan.ofSamples?.(this.#writer.written);
    this.#record = { ...this.#record, ...ofSamples, status: ended, finishedAt: this.#clock.now() };
    if (problem === null) {
      return this.save();
    }
    await this.save().catch(() => {});
    throw problem;
  }

  [Symbol.dispose](): void {
    try {
      this.#writer?.close();
    } catch {}
  }
}
