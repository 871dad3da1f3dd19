import type { RunMachine } from "@evenbench/core";
import type { TargetProfile } from "./profile-target.ts";

/** How the collector's share is counted; printed with it, wherever it is printed. */
export const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";

/** What `profile.json` says of one target: everything but the stacks, which are in its `.cpuprofile` file. */
export type TargetRecord = Omit<TargetProfile, "profile" | "calls"> & {
  /** Name of the `.cpuprofile` file in the same folder. */
  readonly file: string;
};

/** `profile.json`: several targets under the load of one case. */
export interface ProfileRecord {
  readonly schemaVersion: 1;
  readonly evenbenchVersion: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly caseId: string;
  readonly collectorCounted: string;
  readonly machine: RunMachine;
  readonly targets: readonly TargetRecord[];
}

export function targetRecord({ profile: _, calls: __, ...rest }: TargetProfile): TargetRecord {
  return { ...rest, file: `${rest.target}.cpuprofile` };
}
