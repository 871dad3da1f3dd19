import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CaseManifest, SameWork, ServeOptions } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { claimPort, quoteLog, usedBetween } from "@evenbench/host";
import { checkBody, EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { ProfileLoad, ProfileRecord } from "@evenbench/results";
import {
  type CaseRequest,
  checkTargets,
  type Ended,
  expectationOf,
  type Instance,
  isOfPlatform,
  type LocalTarget,
  logFileIn,
  type MeasuringSession,
  measure,
  type ProofSession,
  type RunOptions,
  startInstance,
  WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { attribute } from "./attribution.ts";
import { connectInspector, evaluate, findServing, ProfileError, startProfiler } from "./inspector.ts";
import { selfTime } from "./self-time.ts";

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
        collectorCounted: COLLECTOR_COUNTED,
        targets: [],
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
    if (signal.aborted) {
      break;
    }
    const taken = await profileTarget(session, target, options.case, options).catch((error: unknown) => {
      // What was taken of the targets before it is kept, and shown.
      if (signal.aborted) {
        return null;
      }
      throw error;
    });
    if (taken === null) {
      break;
    }
    const { profile: sampled, ...record } = taken;
    const file = `${target.name}.cpuprofile`;
    await writeFile(join(recorder.folder, file), JSON.stringify(sampled));
    session.reportOthers();
    recorder.add("targets", { ...record, file });
    await recorder.save();
  }
  return signal.aborted ? "interrupted" : "complete";
}

const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";

/** V8's own default. A shorter one costs the profiled code more time. */
const SAMPLE_INTERVAL_US = 1000;

/** Up to what is longer than any search. */
const MOST_TIMES_SAMPLED = 6;
const MOST_WARM_UP_MS = 60_000;

export interface ProfileOptions {
  readonly timeMs: number;
  readonly mostWarmUpMs?: number;
  /** A profiler makes every exchange longer: what is found under one is for profiles alone. */
  readonly needs?: WarmUpNeeds;
  readonly sameWork?: SameWork;
  onPhase?(target: string, phase: "start" | "warmup" | "sample" | "read"): void;
}

/**
 * Of a fresh instance, over V8's inspector, while one connection asks for a case, one request after the
 * other.
 */
export async function profileTarget(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileOptions,
) {
  const { timeMs, needs = new WarmUpNeeds(), sameWork = "proven", onPhase } = options;
  const { mostWarmUpMs = Math.min(MOST_TIMES_SAMPLED * timeMs, MOST_WARM_UP_MS) } = options;
  const { signal, instanceSettings } = session;
  const { name } = target;
  onPhase?.(name, "start");
  // Which of the processes that a command starts opens an inspector, and where, only its log says.
  const isCommand = !isOfPlatform(target);
  const inspectPort = isCommand ? 0 : await claimPort(0);
  const serve = (options: ServeOptions) => target.platform.serve({ ...options, inspectPort });
  const inspected = { ...target, platform: { ...target.platform, serve } };
  const proved = await checkTargets([{ targets: [inspected], cases: [manifest] }], { sameWork }, session);
  const identity = proved.identities[name];
  if (identity === undefined) {
    throw interrupted(name);
  }
  const measured = { name, target: inspected, copyOf: null };
  await using open = new AsyncDisposableStack();
  const instance = await startInstance(measured, identity, instanceSettings);
  open.defer(() => instance.stop());
  const logFile = logFileIn(instanceSettings.logFolder, name);
  const inspector = isCommand ? await findServing(name, logFile) : await connect(inspectPort, logFile);
  open.defer(() => inspector.close());
  // What knows nothing of Evenbench has no identity to say it in, and workerd evaluates nothing.
  const ownVersion =
    target.ownServer === undefined
      ? null
      : await evaluate<string>(inspector, "process.versions.node").catch(() => null);
  const ownRuntime = ownVersion === null ? null : `Node.js ${ownVersion}`;
  const facts = { ...identity.facts, ...(ownRuntime && { runtime: ownRuntime }) };

  onPhase?.(name, "warmup");
  const request = { path: manifest.path, expected: expectationOf(proved, manifest.id, name) };
  const { probe, readCost } = instance;
  // V8 keeps the places of inlined functions in what it compiles while it is profiled, and only there.
  const endWarmUp = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  const warmed = await warmConnection(
    { name, probe, readCost, ...request },
    { needs, target: measured, endsAt: performance.now() + mostWarmUpMs, signal },
  );
  const { error, exchanges, elapsedMs, needed } = warmed;
  if (error !== null) {
    throw failedExchange(request.path, error.detail);
  }
  await endWarmUp();
  if (signal.aborted) {
    throw interrupted(name);
  }

  onPhase?.(name, "sample");
  const end = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  const before = await instance.account();
  const load = await keepBusy({ probe, ...request }, timeMs, signal);
  const cpuMs = usedBetween(before, await instance.account())?.cpuMs ?? null;
  const profile = await end();

  onPhase?.(name, "read");
  return {
    target: name,
    caseId: manifest.id,
    identity: { ...identity, facts },
    intervalUs: SAMPLE_INTERVAL_US,
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    warmup: { exchanges, elapsedMs, steady: warmed.warm, needed },
    load,
    cpuMs,
    ...selfTime(profile, await attribute(profile, target, facts.runtime)),
    profile,
  };
}

/** The runtime's own words say why it opened no inspector. */
async function connect(port: number, logFile: string) {
  return connectInspector(port).catch((error: unknown) => {
    if (!(error instanceof ProfileError)) {
      throw error;
    }
    throw new ProfileError(`${error.message} Start again; it gets another port.\n${quoteLog(logFile)}`);
  });
}

async function keepBusy(
  { probe, path, expected }: CaseRequest & Pick<Instance, "probe">,
  timeMs: number,
  signal: AbortSignal,
): Promise<ProfileLoad> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    const exchange = await probe.exchange(path, expected, { digest: true });
    checkBody(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal.aborted) {
      return { exchanges, elapsedMs };
    }
    if (exchange.error !== null) {
      throw failedExchange(path, exchange.error.detail);
    }
    if (elapsedMs >= timeMs) {
      return { exchanges, elapsedMs };
    }
  }
}

function interrupted(name: string): ProfileError {
  return new ProfileError(`Interrupted before a profile of ${name} was taken.`);
}

function failedExchange(path: string, why: string): ProfileError {
  return new ProfileError(
    `A request failed while ${path} was asked for (${why}). A profile of failing requests would mislead: see why with \`${EVENBENCH} preflight\`.`,
  );
}
