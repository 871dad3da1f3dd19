import type { Identity } from "@evenbench/core";
import { describeMachine } from "@evenbench/runner/engine";
import { flameTree } from "../src/flame.ts";
import type { TargetProfile } from "../src/profile-target.ts";
import { COLLECTOR_COUNTED, targetRecord } from "../src/record-file.ts";
import { renderProfilePage } from "../src/render/page.ts";
import { selfTime } from "../src/self-time.ts";
import { BURN_AND_CHURN } from "./attribution.ts";
import { recordBurnAndChurn } from "./recorded.ts";

const IDENTITY: Identity = {
  schemaVersion: 1,
  app: "bundle",
  platform: "node",
  instance: { id: "0123456789abcdef", served: 0 },
  pins: {},
  facts: { runtime: `Node.js ${process.versions.node}`, region: null },
};

/** The page of one recording of this process, shown once for each name. */
export async function recordedPage(names: readonly string[]): Promise<string> {
  const profile = await recordBurnAndChurn();
  const profiles = names.map(
    (target): TargetProfile => ({
      target,
      caseId: "burn-and-churn",
      identity: { ...IDENTITY, platform: target },
      intervalUs: 500,
      sampledMs: (profile.endTime - profile.startTime) / 1000,
      cpuMs: null,
      warmup: { exchanges: 0, elapsedMs: 0, steady: false, needed: null },
      load: { exchanges: 0, elapsedMs: 0 },
      ...selfTime(profile, BURN_AND_CHURN),
      calls: flameTree(profile, BURN_AND_CHURN),
      profile,
    }),
  );
  const record = {
    schemaVersion: 1,
    id: "2026-11-21T08-00-00-000-burn-and-churn",
    finishedAt: "2026-11-21T08:00:30.000Z",
    status: "complete",
    events: [],
    evenbenchVersion: "0.0.0",
    startedAt: "2026-11-21T08:00:00.000Z",
    caseId: "burn-and-churn",
    collectorCounted: COLLECTOR_COUNTED,
    machine: describeMachine(null),
    targets: profiles.map(targetRecord),
  } as const;
  return renderProfilePage(record, profiles);
}
