import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { ProfileRecord } from "@evenbench/results";
import {
  type Ended,
  type LocalTarget,
  type MeasuringSession,
  measure,
  type RunOptions,
} from "@evenbench/runner";
import { type ProfileOptions, profileTarget } from "./profile-target.ts";

/** As in `RunOptions`, but with cores apart by default. */
export interface ProfileRunOptions
  extends ProfileOptions,
    Pick<RunOptions, "serverCores" | "onEvent" | "signal"> {
  readonly targets: readonly LocalTarget[];
  readonly case: CaseManifest;
  readonly out: string;
}

/** One target after the other; what fails later costs nothing that was taken before. */
export function profile(options: ProfileRunOptions) {
  const { id: caseId, services } = options.case;
  const id = `${new Date().toISOString().slice(0, 23).replace(/[:.]/g, "-")}-${caseId}`;
  return measure<ProfileRecord>(
    {
      ...options,
      place: { id, folder: join(options.out, id) },
      ...{ serverCores: options.serverCores ?? "apart", services, workers: 1 },
      ...{ exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS, file: "profile.json", ofSamples: null },
      firstEntry: (shell) => ({
        ...{ schemaVersion: 1, ...shell, caseId, collectorCounted: COLLECTOR_COUNTED, targets: [] },
      }),
    },
    (session) => profileAll(session, options),
  );
}

async function profileAll(
  session: MeasuringSession<ProfileRecord>,
  options: ProfileRunOptions,
): Promise<Ended> {
  const { recorder, signal } = session;
  for (const target of options.targets) {
    if (signal.aborted) break;
    const taken = await profileTarget(session, target, options.case, options).catch((error: unknown) => {
      // What was taken of the targets before it is kept, and shown.
      if (signal.aborted) return null;
      throw error;
    });
    if (taken === null) break;
    const { profile: sampled, ...record } = taken;
    const file = `${target.name}.cpuprofile`;
    await writeFile(join(recorder.folder, file), JSON.stringify(sampled));
    session.tellOthers();
    recorder.add("targets", { ...record, file });
    await recorder.save();
  }
  return signal.aborted ? "interrupted" : "complete";
}

const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";
