// Profiles of several targets, one after the other, in a folder of their own.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CaseManifest, UserError } from "@evenbench/core";
import { EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { ProfileRecord } from "@evenbench/results";
import {
  type Ended,
  type FinishedMeasurement,
  type LocalTarget,
  type MeasuringSession,
  measure,
  type RunOptions,
} from "@evenbench/runner";
import { profileKept } from "./kept.ts";
import type { ProfileOptions, TakenProfile } from "./proof.ts";
import { profileStart } from "./start.ts";
import { profileTarget } from "./under-load.ts";

/** The choices of a profile of several targets. */
export interface ProfileRunOptions
  extends ProfileOptions,
    Pick<RunOptions, "asked" | "serverCores" | "onEvent" | "signal"> {
  /** The targets in the order in which they are profiled. */
  readonly targets: readonly LocalTarget[];
  /** What is profiled: requests under load, the start, or what requests leave in memory. Default: "requests". */
  readonly of?: ProfileRecord["of"] | undefined;
  readonly case: CaseManifest;
  /** The folder in which the profile's own folder is made. */
  readonly out: string;
}

/**
 * Takes profiles of targets, one after the other. Servers and clients have cores apart where `serverCores` says nothing
 * else.
 *
 * @returns the folder of the files, and the record in it (`profile.json`).
 */
export function profile(options: ProfileRunOptions): Promise<FinishedMeasurement<ProfileRecord>> {
  const { id: caseId, services } = options.case;
  const id = `${new Date().toISOString().slice(0, 23).replace(/[:.]/g, "-")}-${caseId}`;
  return measure<ProfileRecord>(
    {
      ...options,
      place: { id, folder: join(options.out, id) },
      serverCores: options.serverCores ?? "apart",
      services,
      workers: 1,
      // One target after the other, each on one connection, with the connection of its inspector.
      openFiles: { connections: 2, processes: 1 },
      exchangeTimeoutMs: EXCHANGE_TIMEOUT_MS,
      file: "profile.json",
      ofSamples: null,
      firstEntry: (shell) => ({
        schemaVersion: 1,
        ...shell,
        caseId,
        of: options.of ?? "requests",
        collectorCounted: COLLECTOR_COUNTED,
        targets: [],
        kept: [],
      }),
    },
    (session) => profileAll(session, options),
  );
}

/** Takes the profiles, and keeps each as soon as it is taken. A target of which none can be taken stops no other. */
async function profileAll(
  session: MeasuringSession<ProfileRecord>,
  options: ProfileRunOptions,
): Promise<Ended> {
  const { recorder, signal } = session;
  const { targets, of = "requests" } = options;
  for (const target of targets) {
    try {
      await TAKERS[of](session, target, options);
      await recorder.save();
    } catch (problem) {
      if (signal.aborted) {
        break;
      }
      if (targets.length === 1 || !(problem instanceof UserError)) {
        throw problem;
      }
      const { message, quotes } = problem;
      recorder.event("target-dropped", `${target.name}: ${message}`, { target: target.name, quotes });
    }
  }
  if (signal.aborted) {
    return "interrupted";
  }
  return recorder.has("target-dropped") ? "failed" : "complete";
}

/** Takes a profile of a target and keeps it. */
type Taker = (
  session: MeasuringSession<ProfileRecord>,
  target: LocalTarget,
  options: ProfileRunOptions,
) => Promise<void>;

const TAKERS: Readonly<Record<ProfileRecord["of"], Taker>> = {
  requests: async (session, target, options) =>
    keepSampled(session, await profileTarget(session, target, options.case, options)),
  start: async (session, target, options) =>
    keepSampled(session, await profileStart(session, target, options.case, options)),
  async memory(session, target, options) {
    const { before, after, ...kept } = await profileKept(session, target, options.case, options);
    const files = {
      before: `${kept.target}.before.heapsnapshot`,
      after: `${kept.target}.after.heapsnapshot`,
    };
    const { folder } = session.recorder;
    await writeFile(join(folder, files.before), before);
    await writeFile(join(folder, files.after), after);
    session.reportOthers();
    session.recorder.add("kept", { ...kept, ...files });
  },
};

async function keepSampled(
  session: MeasuringSession<ProfileRecord>,
  { profile: sampled, ...record }: TakenProfile,
): Promise<void> {
  const file = `${record.target}.cpuprofile`;
  await writeFile(join(session.recorder.folder, file), JSON.stringify(sampled));
  session.reportOthers();
  session.recorder.add("targets", { ...record, file });
}

/** The explanation of the collector's share that a record carries. */
const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";
