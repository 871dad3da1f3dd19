import { join } from "node:path";
import { type Run, type RunEvent, type SamplesDigest, SampleWriter, writeWhole } from "@evenbench/results";

export type EventPlace = Partial<Pick<RunEvent, "caseId" | "target" | "trial">>;

export type Ended = Exclude<Run["status"], "running">;

export interface MeasurementRecord {
  readonly status: Run["status"];
  /** ISO 8601; null while it goes on. */
  readonly finishedAt: string | null;
  readonly events: readonly RunEvent[];
}

export interface RecordFormat<R> {
  readonly file: string;
  /** null where there are no samples beside it. */
  readonly ofSamples: ((written: SamplesDigest) => Partial<R>) | null;
}

type ListOf<R> = Exclude<
  { [K in keyof R]: R[K] extends readonly unknown[] ? K : never }[keyof R],
  "events" | undefined
>;
type EntryOf<List> = List extends readonly (infer Entry)[] ? Entry : never;

export type EventSink = Pick<Recorder<MeasurementRecord>, "event">;

/** @typeParam S one sample; never where there are none. */
export class Recorder<R extends MeasurementRecord, S = never> {
  readonly folder: string;
  readonly #startedAt: number;
  readonly #format: RecordFormat<R>;
  readonly #writer: SampleWriter<S> | null;
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  readonly #events: RunEvent[] = [];
  #record: R;

  /**
   * @param place its folder, and `performance.now()` at the start.
   * @throws {ResultsError} when the folder cannot be written.
   */
  constructor(
    place: { readonly folder: string; readonly startedAt: number },
    format: RecordFormat<R>,
    record: R,
    onEvent?: (event: RunEvent) => void,
  ) {
    this.folder = place.folder;
    this.#startedAt = place.startedAt;
    this.#format = format;
    this.#record = record;
    this.#onEvent = onEvent;
    this.#writer = format.ofSamples === null ? null : new SampleWriter(place.folder);
  }

  get record(): R {
    return { ...this.#record, events: [...this.#events] };
  }

  event(kind: RunEvent["kind"], detail: string, where: EventPlace = {}): void {
    const { caseId = null, target = null, trial = null } = where;
    const event = { atMs: performance.now() - this.#startedAt, kind, caseId, target, trial, detail };
    this.#events.push(event);
    this.#onEvent?.(event);
  }

  has(kind: RunEvent["kind"]): boolean {
    return this.#events.some((event) => event.kind === kind);
  }

  add<K extends ListOf<R>>(list: K, entry: EntryOf<R[K]>): void {
    const before = this.#record[list] as readonly unknown[];
    this.#record = { ...this.#record, [list]: [...before, entry] };
  }

  sample(sample: S): void {
    this.#writer?.append(sample);
  }

  /** @throws {ResultsError} when they cannot be written. */
  flush(): void {
    this.#writer?.flush();
  }

  /** @throws {ResultsError} when it cannot be written. */
  async save(changes: Partial<Omit<R, "events">> = {}): Promise<R> {
    this.#record = { ...this.#record, ...changes };
    const { record } = this;
    await writeWhole(join(this.folder, this.#format.file), `${JSON.stringify(record, null, 2)}\n`);
    return record;
  }

  async end(status: Ended): Promise<R> {
    const ofSamples = this.#writer === null ? {} : this.#format.ofSamples?.(this.#writer.written);
    this.#record = { ...this.#record, ...ofSamples, status, finishedAt: new Date().toISOString() };
    return this.save();
  }

  close(): void {
    this.#writer?.close();
  }
}
