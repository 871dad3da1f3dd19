import { join, resolve } from "node:path";
import { formatDuration, type NodeProgram, type ServiceId } from "@evenbench/core";
import { makeFolder } from "@evenbench/core/make-folder";
import { systemReason } from "@evenbench/core/user-file";
import { readThrottling, throttledBetween } from "@evenbench/host";
import { startServices } from "@evenbench/host/services";
import { createRunFolder, ResultsError, type RunFolder, type RunPlan } from "@evenbench/results";
import type { InstanceSettings } from "./instance.ts";
import { registerRun } from "./machine.ts";
import { assertOpenFiles, type OpenFiles } from "./open-files.ts";
import { type Ended, type EventSink, type MeasurementRecord, Recorder, type RecordPlan } from "./recorder.ts";

/** How a measurement is made and recorded. */
export interface SessionPlan<R extends MeasurementRecord> extends RecordPlan<R> {
  /** The folder in which the measurement gets a folder of its own; or that folder itself. */
  readonly place: string | RunFolder;
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
}

/** The means that the work of a measurement measures with. @typeParam S one sample; never where there are none. */
export interface MeasuringSession<R extends MeasurementRecord, S = never> {
  readonly signal: AbortSignal;
  readonly recorder: Recorder<R, S>;
  readonly instanceSettings: InstanceSettings;
  /**
   * Targets that were waited for in vain, and have not answered since, each with its case's id: none is waited for a
   * second time.
   */
  readonly lost: Map<string, string>;
  /** True if client and servers have cores of their own. */
  readonly hasOwnCores: boolean;
  /** Reports other processes that measure on this machine, and steps of its clock, as events. */
  reportOthers(): void;
}

/** Says why a target is not waited for once more; null where it is. */
export function whyNotAwaited(lost: ReadonlyMap<string, string>, name: string): string | null {
  const lostIn = lost.get(name);
  return lostIn === undefined ? null : `it was waited for in vain in ${lostIn}, and is not waited for again.`;
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
    const lost = new Map<string, string>();
    ended = await work({ signal, recorder, instanceSettings, lost, hasOwnCores, reportOthers });
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
