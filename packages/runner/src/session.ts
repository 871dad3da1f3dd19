import { join, resolve } from "node:path";
import { formatDuration, type ServiceId } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { CoreGauge, readThrottling, throttledBetween, version } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import {
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
import { describeStep, RunClock } from "./clock.ts";
import type { InstanceSettings } from "./instance.ts";
import { registerRun } from "./machine.ts";
import { assertOpenFiles, type OpenFiles } from "./open-files.ts";

export interface RecordShell
  extends Pick<Run, "id" | "startedAt" | "finishedAt" | "status" | "evenbenchVersion" | "events"> {
  readonly machine: RunMachine;
}

type MeasurementRecord = Pick<RecordShell, "status" | "finishedAt" | "events">;

export type Ended = Exclude<Run["status"], "running">;

export interface SessionPlan<R extends MeasurementRecord> {
  readonly place: string | RunFolder;
  readonly serverCores: RunPlan["serverCores"];
  readonly services: readonly ServiceId[];
  readonly workers: number;
  readonly exchangeTimeoutMs: number;
  readonly openFiles: OpenFiles;
  readonly signal?: AbortSignal | undefined;
  /** Whether cores are gauged between requests. Default: no. */
  readonly gauge?: boolean;
  readonly file: string;
  readonly ofSamples: ((written: SamplesDigest) => Partial<R>) | null;
  firstEntry(shell: RecordShell): R;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface MeasuringSession<R extends MeasurementRecord, S = never> {
  readonly signal: AbortSignal;
  readonly recorder: Recorder<R, S>;
  readonly instanceSettings: InstanceSettings;
  readonly hasOwnCores: boolean;
  /** Other measuring processes become events. */
  tellOthers(): void;
}

/** Whatever `work` throws makes the measurement a failed one, and is thrown on. */
export async function measure<R extends MeasurementRecord, S = never>(
  plan: SessionPlan<R>,
  work: (session: MeasuringSession<R, S>) => Promise<Ended>,
): Promise<{ readonly folder: string; readonly record: R }> {
  const { workers, exchangeTimeoutMs, signal = new AbortController().signal } = plan;
  assertOpenFiles(plan.openFiles, new Set(plan.services).size);
  const place = await folderOf(plan.place);
  using claimed = registerRun(plan.serverCores);
  using recorder = new Recorder<R, S>(plan, place, claimed.machine);
  const tellOthers = () => {
    for (const sentence of claimed.newOthers()) {
      recorder.event("other-run-active", sentence);
    }
    recorder.lookAtClocks();
  };
  const throttlingBefore = readThrottling();
  const tellThrottling = () => {
    const between = throttledBetween(throttlingBefore, readThrottling());
    if (between === null) {
      return;
    }
    const { periods, throttled, throttledMs } = between;
    recorder.event(
      "cpu-throttled",
      `The container's limit on CPU time stopped its processes in ${throttled} of ${periods} periods, for ${formatDuration(throttledMs)} in all.`,
    );
  };
  let ended: Ended = "failed";
  try {
    await recorder.save();
    tellOthers();
    const at = { logFolder: join(place.folder, "logs"), cores: claimed.cores?.servers ?? null };
    const settings = { ...at, workers, exchangeTimeoutMs, signal };
    await using services = await startServices(plan.services, settings);
    await using gauge = new CoreGauge({
      signal,
      onEnd: (reason) => recorder.event("gauge-ended", `The rest of the run was not gauged. ${reason}`),
    });
    const environment = services.environment;
    const instanceSettings = plan.gauge ? { ...settings, environment, gauge } : { ...settings, environment };
    const hasOwnCores = claimed.cores !== null;
    ended = await work({ signal, recorder, instanceSettings, hasOwnCores, tellOthers });
    if (ended === "interrupted") {
      recorder.event("interrupted", "Not all that was planned was measured.");
    }
    tellOthers();
    tellThrottling();
    return { folder: place.folder, record: await recorder.end(ended) };
  } catch (error) {
    // A second failure (a full disk) would hide the first one, which says more.
    await recorder.end(ended).catch(() => {});
    throw error;
  }
}

export type EventSink = Pick<Recorder<MeasurementRecord>, "event">;
export type RunRecorder = Recorder<Run, Sample>;

/** What cannot be written is a `ResultsError`. @typeParam S one sample; never where there are none. */
class Recorder<R extends MeasurementRecord, S = never> {
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
      machine,
      events: [],
    });
  }

  /** By `performance.now()`. */
  get startedAt(): number {
    return this.#clock.startedAtMs;
  }

  get record(): R {
    return this.#record;
  }

  event(
    kind: RunEvent["kind"],
    detail: string,
    { caseId = null, target = null, trial = null }: Partial<RunEvent> = {},
  ): void {
    const event = { atMs: this.#clock.elapsedMs(), kind, caseId, target, trial, detail };
    this.#record = { ...this.#record, events: [...this.#record.events, event] };
    this.#plan.onEvent?.(event);
  }

  /** A wall clock that was set since the last look becomes an event. */
  lookAtClocks(): void {
    const stepMs = this.#clock.newStepMs();
    if (stepMs === null) {
      return;
    }
    this.event("clock-stepped", describeStep(stepMs));
  }

  has(kind: RunEvent["kind"]): boolean {
    return this.#record.events.some((event) => event.kind === kind);
  }

  add<K extends keyof R>(list: K, entry: R[K] extends readonly (infer Entry)[] ? Entry : never): void {
    const before = this.#record[list] as readonly unknown[];
    this.#record = { ...this.#record, [list]: [...before, entry] };
  }

  sample(sample: S): void {
    this.#writer?.append(sample);
  }

  flush(): void {
    this.#writer?.flush();
  }

  async save(changes: Partial<Omit<R, "events">> = {}): Promise<R> {
    this.#record = { ...this.#record, ...changes };
    await writeJson(join(this.folder, this.#plan.file), this.#record);
    return this.#record;
  }

  /** Also where its samples cannot be written: then it failed. */
  async end(status: Ended): Promise<R> {
    let ended = status;
    let problem = null as unknown;
    try {
      this.flush();
    } catch (error) {
      [ended, problem] = ["failed", error];
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

async function folderOf(place: string | RunFolder): Promise<RunFolder> {
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
