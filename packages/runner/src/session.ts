import { join, resolve } from "node:path";
import type { ServiceId } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { version } from "@evenbench/host";
import { type RunningServices, startServices } from "@evenbench/host/services";
import {
  createRunFolder,
  ResultsError,
  type Run,
  type RunEvent,
  type RunFolder,
  type RunMachine,
  type Sample,
} from "@evenbench/results";
import type { InstanceSettings } from "./instance.ts";
import { type ClaimedMachine, claimMachine } from "./machine.ts";
import type { ServerCores } from "./options.ts";
import { type Ended, type MeasurementRecord, Recorder, type RecordFormat } from "./recorder.ts";
import type { WarmUpNeeds } from "./warm-up-needs.ts";
import { type NeedOfTarget, rememberNeeds, WarmUpStore } from "./warm-up-store.ts";

export interface RecordShell
  extends Pick<Run, "id" | "startedAt" | "finishedAt" | "status" | "evenbenchVersion"> {
  readonly machine: RunMachine;
  readonly events: readonly RunEvent[];
}

export interface SessionPlan<R extends MeasurementRecord> {
  readonly place: string | RunFolder;
  readonly serverCores: ServerCores;
  readonly services: readonly ServiceId[];
  readonly workers: number;
  readonly exchangeTimeoutMs: number;
  /** null: nothing is kept. */
  readonly warmUpFile?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly format: RecordFormat<R>;
  firstEntry(shell: RecordShell): R;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface Measured<R> {
  readonly folder: string;
  readonly record: R;
}

/** Whatever `work` throws makes the measurement a failed one, and is thrown on. */
export async function measure<R extends MeasurementRecord, S = never>(
  plan: SessionPlan<R>,
  work: (session: MeasuringSession<R, S>) => Promise<Ended>,
): Promise<Measured<R>> {
  const place = await folderOf(plan.place);
  using claimed = claimMachine(plan.serverCores);
  await using session = new MeasuringSession<R, S>(plan, place, claimed);
  try {
    await session.begin();
    return { folder: place.folder, record: await session.finish(await work(session)) };
  } catch (error) {
    // A second failure (a full disk) would hide the first one, which says more.
    await session.finish("failed").catch(() => {});
    throw error;
  }
}

export class MeasuringSession<R extends MeasurementRecord, S = never> implements AsyncDisposable {
  readonly startedAt = performance.now();
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly recorder: Recorder<R, S>;
  readonly #plan: SessionPlan<R>;
  readonly #claimed: ClaimedMachine;
  readonly #store: WarmUpStore;
  #services: RunningServices | null = null;
  #lastWork: () => Promise<void> = async () => {};
  #isOver = false;
  #ended: Ended | null = null;

  constructor(plan: SessionPlan<R>, { id, folder }: RunFolder, claimed: ClaimedMachine) {
    this.#plan = plan;
    this.#claimed = claimed;
    this.#store = new WarmUpStore(plan.warmUpFile ?? null);
    this.folder = folder;
    this.signal = plan.signal ?? new AbortController().signal;
    const record = plan.firstEntry({
      id,
      startedAt: new Date().toISOString(),
      finishedAt: null,
      status: "running",
      evenbenchVersion: version,
      machine: claimed.machine,
      events: [],
    });
    this.recorder = new Recorder(this, plan.format, record, plan.onEvent);
  }

  get machine(): RunMachine {
    return this.#claimed.machine;
  }

  get hasOwnCores(): boolean {
    return this.#claimed.cores !== null;
  }

  get instanceSettings(): InstanceSettings {
    const { workers, exchangeTimeoutMs } = this.#plan;
    const environment = this.#services?.environment ?? {};
    return { ...this.#place, workers, exchangeTimeoutMs, environment, signal: this.signal };
  }

  get #place() {
    return { logFolder: join(this.folder, "logs"), cores: this.#claimed.cores?.servers ?? null };
  }

  async begin(): Promise<void> {
    await this.recorder.save();
    this.tellOthers();
    this.#services = await startServices(this.#plan.services, this.#place);
  }

  tellOthers(): void {
    for (const sentence of this.#claimed.newOthers()) this.recorder.event("other-run-active", sentence);
  }

  /** @param fixed warm-up exchanges, where the user wants no search. */
  needsOf(targets: readonly NeedOfTarget[], fixed: number | null = null): WarmUpNeeds {
    return rememberNeeds(this.#store, this.machine, targets, fixed);
  }

  /** Once, however the measurement ends, before its last entry. */
  atEnd(work: () => Promise<void>): void {
    this.#lastWork = work;
  }

  /** Called again after the last entry could not be written, it only writes. */
  async finish(status: Ended): Promise<R> {
    const { recorder } = this;
    if (!this.#isOver) {
      this.#isOver = true;
      if (status === "interrupted") recorder.event("interrupted", "It has what was measured until then.");
      this.tellOthers();
      recorder.flush();
      await this.#lastWork();
      await this.#stopServices();
      this.#ended = status;
    }
    return recorder.end(this.#ended ?? status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopServices().catch(() => {});
    try {
      this.recorder.close();
    } catch {}
  }

  async #stopServices(): Promise<void> {
    const services = this.#services;
    this.#services = null;
    await services?.[Symbol.asyncDispose]();
  }
}

async function folderOf(place: string | RunFolder): Promise<RunFolder> {
  if (typeof place === "string") return createRunFolder(place);
  const folder = resolve(place.folder);
  try {
    makeFolder(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ResultsError(`${folder} cannot be written (${code}). Choose another folder with --out.`);
  }
  return { id: place.id, folder };
}

export type RunRecorder = Recorder<Run, Sample>;
