import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest, SameWork } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { ProfileRecord, RunEvent, TargetRecord } from "@evenbench/results";
import type { LocalTarget, ServerCores } from "@evenbench/runner";
import {
  type Ended,
  type MeasuringSession,
  measure,
  type RecordFormat,
  type RecordShell,
} from "@evenbench/runner/engine";
import { profileTarget, type TargetProfile } from "./profile-target.ts";

export interface ProfileRunOptions {
  readonly targets: readonly LocalTarget[];
  readonly case: CaseManifest;
  readonly timeMs: number;
  readonly out: string;
  /** As in `RunOptions`, but apart by default. */
  readonly serverCores?: ServerCores;
  readonly warmUpFile?: string | null;
  readonly sameWork?: SameWork;
  readonly mostWarmUpMs?: number;
  onPhase?(target: string, phase: "start" | "warmup" | "sample" | "read"): void;
  onEvent?(event: RunEvent): void;
  readonly signal?: AbortSignal;
}

export interface ProfileResult {
  readonly folder: string;
  readonly record: ProfileRecord;
}

/**
 * Profiles targets one after the other, and writes each one's files when it is done: what fails later
 * costs nothing that was taken before.
 */
export async function profile(options: ProfileRunOptions): Promise<ProfileResult> {
  const { id: caseId, services } = options.case;
  const id = `${new Date().toISOString().slice(0, 23).replace(/[:.]/g, "-")}-${caseId}`;
  return measure<ProfileRecord>(
    {
      place: { id, folder: join(options.out, id) },
      serverCores: options.serverCores ?? "apart",
      services,
      workers: 1,
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      warmUpFile: options.warmUpFile,
      signal: options.signal,
      format: PROFILE_FORMAT,
      firstEntry: (shell) => firstEntry(shell, caseId),
      onEvent: options.onEvent,
    },
    (session) => profileAll(session, options),
  );
}

async function profileAll(
  session: MeasuringSession<ProfileRecord>,
  options: ProfileRunOptions,
): Promise<Ended> {
  const { recorder, signal, folder, instanceSettings } = session;
  const { timeMs, mostWarmUpMs, sameWork } = options;
  for (const target of options.targets) {
    if (signal.aborted) break;
    const taking = profileTarget(target, options.case, {
      ...instanceSettings,
      timeMs,
      signal,
      needsOf: (target) => session.needsOf([target]),
      ...(mostWarmUpMs === undefined ? {} : { mostWarmUpMs }),
      ...(sameWork === undefined ? {} : { sameWork }),
      onPhase: (phase) => options.onPhase?.(target.name, phase),
    });
    const taken = await taking.catch((error: unknown) => {
      // What was taken of the targets before it is kept, and shown.
      if (signal.aborted) return null;
      throw error;
    });
    if (taken === null) break;
    await writeFile(join(folder, `${taken.target}.cpuprofile`), JSON.stringify(taken.profile));
    session.tellOthers();
    recorder.add("targets", targetRecord(taken));
    await recorder.save();
  }
  return signal.aborted ? "interrupted" : "complete";
}

/** How the collector's share is counted; printed with it, wherever it is printed. */
const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";

const PROFILE_FORMAT: RecordFormat<ProfileRecord> = { file: "profile.json", ofSamples: null };

function firstEntry(shell: RecordShell, caseId: string): ProfileRecord {
  return { schemaVersion: 1, ...shell, caseId, collectorCounted: COLLECTOR_COUNTED, targets: [] };
}

function targetRecord({ profile: _, ...rest }: TargetProfile): TargetRecord {
  return { ...rest, file: `${rest.target}.cpuprofile` };
}
