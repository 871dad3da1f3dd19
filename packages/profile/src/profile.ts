import { writeFile } from "node:fs/promises";
import type { Profiler } from "node:inspector";
import { join } from "node:path";
import { type CaseManifest, type Identity, type SameWork, UserError } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { usedBetween } from "@evenbench/host";
import { evaluate, type InspectorSession, startProfiler } from "@evenbench/host/inspector";
import { checkBody, EXCHANGE_TIMEOUT_MS } from "@evenbench/probe";
import type { ProfileLoad, ProfileRecord, TargetRecord } from "@evenbench/results";
import {
  type CaseRequest,
  checkTargets,
  type Ended,
  expectationOf,
  type FinishedMeasurement,
  type Instance,
  type LocalTarget,
  logFileIn,
  type MeasuredTarget,
  type MeasuringSession,
  measure,
  openInspectorAtStart,
  type ProofSession,
  type RunOptions,
  startInstance,
  WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { attribute } from "./attribution.ts";
import { selfTime } from "./self-time.ts";

/** The choices of a profile of several targets. */
export interface ProfileRunOptions
  extends ProfileOptions,
    Pick<RunOptions, "asked" | "serverCores" | "onEvent" | "signal"> {
  /** The targets in the order in which they are profiled. */
  readonly targets: readonly LocalTarget[];
  /** The case that is asked for. */
  readonly case: CaseManifest;
  /** The folder in which the profile's own folder is made. */
  readonly out: string;
}

/**
 * Takes profiles of targets, one after the other; what fails later costs nothing that was taken before. Servers and
 * clients have cores apart where `serverCores` says nothing else.
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
        collectorCounted: COLLECTOR_COUNTED,
        targets: [],
      }),
    },
    (session) => profileAll(session, options),
  );
}

/** Takes the profiles, and keeps each as soon as it is taken. */
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

/** The explanation of the collector's share that a record carries. */
const COLLECTOR_COUNTED =
  "samples with V8's garbage collector on top of the stack of the thread that serves, of all samples that were not idle; the collector's helper threads are not sampled";

/** Microseconds between two samples: V8's own default. A shorter time costs the profiled code more of its own. */
const SAMPLE_INTERVAL_US = 1000;

/** Longest warm-up, as a multiple of the time that is sampled. */
const MAX_WARM_UP_SHARE = 6;
/** Longest warm-up in milliseconds: longer than any search takes. */
const MAX_WARM_UP_MS = 60_000;

/** The choices of one target's profile. */
export interface ProfileOptions {
  /** Milliseconds that are sampled, after start and warm-up. */
  readonly timeMs: number;
  /** Milliseconds that warm-up may take. Default: six times `timeMs`, at most a minute. */
  readonly mostWarmUpMs?: number;
  /**
   * The knowledge of how much warm-up targets need. A profiler makes every exchange longer, so that what is found under
   * one is for profiles alone. Default: nothing is known.
   */
  readonly needs?: WarmUpNeeds;
  /** "proven" (the default) has preflight prove that targets do the same work; see `SameWork`. */
  readonly sameWork?: SameWork;
  /** Is called when a phase of a target begins. */
  onPhase?(target: string, phase: "start" | "warmup" | "sample" | "read"): void;
  /** Is called before preflight waits for up to a minute, with a sentence that says why. Default: nobody is. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

/** A profile that was taken of one target. */
export interface TakenProfile extends Omit<TargetRecord, "file"> {
  /** The profile as V8 gives it. */
  readonly profile: Profiler.Profile;
}

/**
 * Takes a profile of a fresh instance over V8's inspector, while one connection asks for a case, one request after the
 * other.
 *
 * @throws {ProfileError} where no inspector can be reached, a request fails, or it is interrupted.
 */
export async function profileTarget(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileOptions,
): Promise<TakenProfile> {
  const { timeMs, onPhase } = options;
  const { name } = target;
  onPhase?.(name, "start");
  const inspected = await openInspectorAtStart(target);
  const { identity, expected } = await proveTarget(session, inspected.target, manifest, options);
  const measured: MeasuredTarget = { name, target: inspected.target, copyOf: null };
  await using open = new AsyncDisposableStack();
  const instance = await startInstance(measured, identity, session.instanceSettings);
  open.defer(() => instance.stop());
  const logFile = logFileIn(session.instanceSettings.logFolder, name);
  const inspector = await inspected.connect(logFile);
  open.defer(() => inspector.close());
  const facts = await factsOf(target, identity, inspector);

  onPhase?.(name, "warmup");
  const request: CaseRequest = { path: manifest.path, expected };
  const warmup = await warmInstance({
    measured,
    instance,
    inspector,
    request,
    options,
    signal: session.signal,
  });

  onPhase?.(name, "sample");
  const endSampling = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  const before = await instance.account();
  const load = await keepBusy(instance.probe, request, timeMs, session.signal);
  const cpuMs = usedBetween(before, await instance.account())?.cpuMs ?? null;
  const profile = await endSampling();

  onPhase?.(name, "read");
  return {
    target: name,
    caseId: manifest.id,
    identity: { ...identity, facts },
    intervalUs: SAMPLE_INTERVAL_US,
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    warmup,
    load,
    cpuMs,
    ...selfTime(profile, await attribute(profile, target, facts.runtime)),
    profile,
  };
}

/** The findings of preflight on a target that is profiled. */
interface ProvedTarget {
  readonly identity: Identity;
  readonly expected: CaseRequest["expected"];
}

/** Has preflight check a target. @throws {ProfileError} where that is interrupted. */
async function proveTarget(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  { sameWork = "proven", onWait }: ProfileOptions,
): Promise<ProvedTarget> {
  const toProve = { targets: [target], cases: [manifest] };
  const proved = await checkTargets([toProve], { sameWork, onWait }, session);
  const identity = proved.identities[target.name];
  if (identity === undefined) {
    throw interrupted(target.name);
  }
  return { identity, expected: expectationOf(proved, manifest.id, target.name) };
}

/**
 * Gives the facts of a target's identity, and the runtime of an own server, which has no identity to say it in. workerd
 * evaluates nothing.
 */
async function factsOf(
  target: LocalTarget,
  { facts }: Identity,
  inspector: InspectorSession,
): Promise<Identity["facts"]> {
  if (target.ownServer === undefined) {
    return facts;
  }
  const version = await evaluate<string>(inspector, "process.versions.node").catch(() => null);
  return version === null ? facts : { ...facts, runtime: `Node.js ${version}` };
}

/** The parts of a warm-up under the profiler. */
interface ProfiledWarmUp {
  readonly measured: MeasuredTarget;
  readonly instance: Instance;
  readonly inspector: InspectorSession;
  readonly request: CaseRequest;
  readonly options: ProfileOptions;
  readonly signal: AbortSignal;
}

/** Warms an instance up. @throws {ProfileError} where a request fails, or it is interrupted. */
async function warmInstance(parts: ProfiledWarmUp): Promise<TargetRecord["warmup"]> {
  const { measured, instance, inspector, request, options, signal } = parts;
  const { timeMs, needs = new WarmUpNeeds() } = options;
  const { mostWarmUpMs = Math.min(MAX_WARM_UP_SHARE * timeMs, MAX_WARM_UP_MS) } = options;
  const { name } = measured;
  const { probe, cpu } = instance;
  // V8 keeps the places of inlined functions in what it compiles while it is profiled, and only there.
  const endProfile = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  const warmed = await warmConnection(
    { name, probe, readCost: cpu.readCost, ...request },
    { needs, target: measured, endsAt: performance.now() + mostWarmUpMs, signal },
  );
  if (warmed.error !== null) {
    throw failedExchange(request.path, warmed.error.detail);
  }
  await endProfile();
  if (signal.aborted) {
    throw interrupted(name);
  }
  const { exchanges, elapsedMs, warm: steady, needed } = warmed;
  return { exchanges, elapsedMs, steady, needed };
}

/** Asks for a case again and again until the time is over, or the signal aborts. */
async function keepBusy(
  probe: Instance["probe"],
  { path, expected }: CaseRequest,
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

/** The error of a profile that could not be taken. Its message says why, and what to do. */
class ProfileError extends UserError {
  override readonly name = "ProfileError";
}
