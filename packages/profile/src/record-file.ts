import type { ProfileRecord, TargetRecord } from "@evenbench/results";
import type { RecordFormat, RecordShell } from "@evenbench/runner/engine";
import type { TargetProfile } from "./profile-target.ts";

/** How the collector's share is counted; printed with it, wherever it is printed. */
const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";

/** The samples are in files of their own. */
export const PROFILE_FORMAT: RecordFormat<ProfileRecord> = { file: "profile.json", ofSamples: null };

export function firstEntry(shell: RecordShell, caseId: string): ProfileRecord {
  return { schemaVersion: 1, ...shell, caseId, collectorCounted: COLLECTOR_COUNTED, targets: [] };
}

export function targetRecord({ profile: _, ...rest }: TargetProfile): TargetRecord {
  return { ...rest, file: `${rest.target}.cpuprofile` };
}
