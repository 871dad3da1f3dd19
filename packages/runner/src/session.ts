import { join, resolve } from "node:path";
import { formatDuration, type NodeProgram, type ServiceId } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { readThrottling, throttledBetween, version } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import {
  type AskedFor,
  createRunFolder,
  ResultsError,
  type Run,
  type RunEvent,
  type RunFolder,
  type RunMachine,
  type RunPlan,
  type Sample,
  type SamplesDigest,
  SampleWriter,
  systemReason,
  writeJson,
} from "@evenbench/results";
import { describeClockStep, RunClock } from "./clock.ts";
import type { InstanceSettings } from "./instance.ts";
import { registerRun } from "./machine.ts";
import { assertOpenFiles, type OpenFiles } from "./open-files.ts";

/** The beginning of every measurement's record. */
export interface RecordShell
  extends Pick<Run, "id" | "startedAt" | "finishedAt" | "status" | "evenbenchVersion" | "events">,
    AskedFor {
  readonly machine: RunMachine;
}

/** The part of a measurement's record that a session writes by itself. */
type MeasurementRecord = Pick<RecordShell, "status" | "finishedAt" | "events">;

/** How a measurement ended. */
export type Ended = Exclude<Run["status"], "running">;

/** How a measurement is made and recorded. */
export interface SessionPlan<R extends MeasurementRecord> {
  /** The folder in which the measurement gets a folder of its own; or that folder itself. */
  readonly place: string | RunFolder;
  /** The command line that asks for the measurement. Default: none did. */
  readonly asked?: AskedFor | undefined;
  /** "apart": client and servers have cores of their own, where the system allows that. */
  readonly serverCores: RunPlan["serverCores"];
  /** Services that are started for it. */
  readonly services: readonly ServiceId[];
  /** Number of processes that serve one target. */
  readonly workers: number;
  /** Longest time of an exchange, in milliseconds. */
  readonly exchangeTimeoutMs: number;
  /** Files that it holds open at its height. */
  readonly openFiles: OpenFiles;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** The Node.js that serves, on platforms that are one. Default: the one that runs Evenbench. */
  readonly nodeProgram?: NodeProgram | undefined;
  /** Name of the record's file, such as "run.json". */
  readonly file: string;
  /** Gives the record's fields about the samples that were written; null where none are written. */
  readonly ofSamples: ((written: SamplesDigest) => Partial<R>) | null;
  /** The record as it is when the measurement begins. */
  firstEntry(shell: RecordShell): R;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The means that the work of a measurement measures with. @typeParam S one sample; never where there are none. */
export interface MeasuringSession<R extends MeasurementRecord, S = never> {
  readonly signal: AbortSignal;
  readonly recorder: Recorder<R, S>;
  readonly instanceSettings: InstanceSettings;
  /** True if client and servers have cores of their own. */
  readonly hasOwnCores: boolean;
  /** Reports other processes that measure on this machine, and steps of its clock, as events. */
  reportOthers(): void;
}

/** A measurement that has ended. */
export interface FinishedMeasurement<R> {
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly record: R;
}

/**
 * Makes a measurement: opens its folder and its record, starts its services, and lets `work` measure. What
 * `work` throws makes it a failed one, and is thrown on.
 *
 * @returns the measurement; `work` says how it ended.
 * @throws {RunError} if the machine does not allow it.
 * @throws {ResultsError} if its folder cannot be written.
 */
export async function measure<R extends MeasurementRecord, S = never>(
  plan: SessionPlan<R>,
  work: (session: MeasuringSession<R, S>) => Promise<Ended>,
): Promise<FinishedMeasurement<R>> {
  const { workers, exchangeTimeoutMs, signal = new AbortController().signal } = plan;
  assertOpenFiles(plan.openFiles, new Set(plan.services).size);
  const place = await measurementFolder(plan.place);
  using claimed = registerRun(plan.serverCores);
  using recorder = new Recorder<R, S>(plan, place, claimed.machine);
  const reportOthers = () => {
    for (const sentence of claimed.newOthers()) {
      recorder.event("other-run-active", sentence);
    }
    recorder.checkClocks();
  };
  const reportThrottling = watchThrottling(recorder);
  let ended: Ended = "failed";
  try {
    await recorder.save();
    reportOthers();
    const settings = {
      logFolder: join(place.folder, "logs"),
      cores: claimed.cores?.servers ?? null,
      workers,
      exchangeTimeoutMs,
      nodeProgram: plan.nodeProgram,
      signal,
    };
    await using services = await startServices(plan.services, settings);
    const instanceSettings = { ...settings, environment: services.environment };
    const hasOwnCores = claimed.cores !== null;
    ended = await work({ signal, recorder, instanceSettings, hasOwnCores, reportOthers });
    if (ended === "interrupted") {
      recorder.event("interrupted", "Not all that was planned was measured.");
    }
    reportOthers();
    reportThrottling();
    return { folder: place.folder, record: await recorder.end(ended) };
  } catch (error) {
    // A second failure (a full disk) would hide the first one, which says more.
    await recorder.end(ended).catch(() => {});
    throw error;
  }
}

/**
 * Begins to watch the container's limit on CPU time.
 *
 * @returns a function that adds an event if the limit has stopped processes since then.
 */
function watchThrottling(recorder: EventSink): () => void {
  const before = readThrottling();
  return () => {
    const between = throttledBetween(before, readThrottling());
    if (between === null) {
      return;
    }
    const { periods, throttled, throttledMs } = between;
    const how = `in ${throttled} of ${periods} periods, for ${formatDuration(throttledMs)} in all`;
    recorder.event("cpu-throttled", `The container's limit on CPU time stopped its processes ${how}.`);
  };
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
class Recorder<R extends MeasurementRecord, S = never> {
  /** Absolute path of the measurement's folder. */
  readonly folder: string;
  readonly #clock = new RunClock();
  readonly #plan: SessionPlan<R>;
  readonly #writer: SampleWriter<S> | null;
  #record: R;

  constructor(plan: SessionPlan<R>, { id, folder }: RunFolder, machine: RunMachine) {
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

  /** Adds an event to the record, and reports it. */
  event(
    kind: RunEvent["kind"],
    detail: string,
    { caseId = null, target = null, trial = null, ...further }: Partial<RunEvent> = {},
  ): void {
    const event = { atMs: this.#clock.elapsedMs(), kind, caseId, target, trial, detail, ...further };
    this.#record = { ...this.#record, events: [...this.#record.events, event] };
    this.#plan.onEvent?.(event);
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

/** Makes the folder of a measurement. @throws {ResultsError} where it cannot be made. */
async function measurementFolder(place: string | RunFolder): Promise<RunFolder> {
  if (typeof place === "string") {
    return createRunFolder(place);
  }
  const folder = resolve(place.folder);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new ResultsError(
      `${folder} cannot be written (${systemReason(error)}). Choose another folder with --out.`,
    );
  }
  return { id: place.id, folder };
}
