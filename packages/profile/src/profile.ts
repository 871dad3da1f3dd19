import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { CaseManifest } from "@evenbench/core";
import { describeMachine, keepCoresApart, type LocalTarget } from "@evenbench/runner";
import { startServices } from "@evenbench/services";
import { ProfileError } from "./profile-error.ts";
import { type ProfileTargetOptions, profileTarget, type TargetProfile } from "./profile-target.ts";
import { COLLECTOR_COUNTED, type ProfileRecord, targetRecord } from "./record-file.ts";
import { renderProfilePage } from "./render/page.ts";

export interface ProfileRunOptions extends Pick<ProfileTargetOptions, "timeMs" | "signal"> {
  readonly targets: readonly LocalTarget[];
  readonly case: CaseManifest;
  /** Takes the folder of this profile. */
  readonly out: string;
  readonly evenbenchVersion: string;
  onPhase?(target: string, phase: "start" | "warmup" | "sample" | "read"): void;
}

export interface ProfileResult {
  /** Absolute path of the folder with `profile.json`, `profile.html` and a `.cpuprofile` for each target. */
  readonly folder: string;
  readonly record: ProfileRecord;
}

/**
 * Profiles targets one after the other, and writes each one's files when it is done: what fails later costs nothing that was
 * taken before. The case's services are up while they are needed.
 *
 * @throws what `profileTarget` and `startServices` throw; {ProfileError} when the folder cannot be written.
 */
export async function profile(options: ProfileRunOptions): Promise<ProfileResult> {
  const startedAt = new Date().toISOString();
  const folder = resolve(options.out, `${startedAt.slice(0, 23).replace(/[:.]/g, "-")}-${options.case.id}`);
  await makeFolder(folder);
  const cores = keepCoresApart();
  const profiles: TargetProfile[] = [];
  const recordOf = (): ProfileRecord => ({
    schemaVersion: 1,
    evenbenchVersion: options.evenbenchVersion,
    startedAt,
    caseId: options.case.id,
    collectorCounted: COLLECTOR_COUNTED,
    machine: describeMachine(cores.split),
    targets: profiles.map(targetRecord),
  });
  const logFolder = join(folder, "logs");
  const serverCores = cores.split?.servers ?? null;
  try {
    await using services = await startServices(options.case.services, { logFolder, cores: serverCores });
    for (const target of options.targets) {
      if (options.signal?.aborted && profiles.length > 0) break;
      const taken = await profileTarget(target, options.case, {
        timeMs: options.timeMs,
        logFolder,
        cores: serverCores,
        environment: services.environment,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        onPhase: (phase) => options.onPhase?.(target.name, phase),
      });
      profiles.push(taken);
      const record = recordOf();
      await writeFile(join(folder, `${taken.target}.cpuprofile`), JSON.stringify(taken.profile));
      await writeFile(join(folder, "profile.json"), `${JSON.stringify(record, null, 2)}\n`);
      await writeFile(join(folder, "profile.html"), renderProfilePage(record, profiles));
    }
    return { folder, record: recordOf() };
  } finally {
    cores.restore();
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ProfileError(`${folder} cannot be written (${code}). Choose another folder with --out.`);
  }
}
