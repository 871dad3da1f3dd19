// The profile of requests: a warm instance that is asked for a case again and again.
import type { CaseManifest } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { usedBetween } from "@evenbench/host";
import { type InspectorSession, startProfiler } from "@evenbench/host/inspector";
import { checkBody } from "@evenbench/probe";
import type { ProfileLoad, TargetRecord } from "@evenbench/results";
import {
  type CaseRequest,
  describeReplaced,
  type Instance,
  type LocalTarget,
  logFileIn,
  type MeasuredTarget,
  openInspectorAtStart,
  type ProofSession,
  startInstance,
  WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { attribute } from "./attribution.ts";
import {
  factsOf,
  interrupted,
  ProfileError,
  type ProfileOptions,
  proveTarget,
  type TakenProfile,
} from "./proof.ts";
import { selfTime } from "./self-time.ts";

/** Microseconds between two samples: V8's own default. A shorter time costs the profiled code more of its own. */
const SAMPLE_INTERVAL_US = 1000;

/** Longest warm-up, as a multiple of the time that is sampled. */
const MAX_WARM_UP_SHARE = 6;
/** Longest warm-up in milliseconds: longer than any search takes. */
const MAX_WARM_UP_MS = 60_000;

/**
 * Takes a profile of a fresh instance over V8's inspector, while one connection asks for a case.
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
  const running = { instance, inspector, serving: instance.pids(), logFile };

  onPhase?.(name, "warmup");
  const request: CaseRequest = { path: manifest.path, expected };
  const warmup = await warmInstance({ ...running, measured, request, options, signal: session.signal });

  onPhase?.(name, "sample");
  const endSampling = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  const before = await instance.account();
  const load = await keepBusy(running, request, timeMs, session.signal);
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

interface Inspected {
  readonly instance: Instance;
  readonly inspector: InspectorSession;
  /** Ids of the processes that served when it was started. */
  readonly serving: readonly number[];
  readonly logFile: string;
}

/** The parts of a warm-up under the profiler. */
interface ProfiledWarmUp extends Inspected {
  readonly measured: MeasuredTarget;
  readonly request: CaseRequest;
  readonly options: ProfileOptions;
  readonly signal: AbortSignal;
}

/** Warms an instance up. @throws {ProfileError} where a request fails, or it is interrupted. */
async function warmInstance(parts: ProfiledWarmUp): Promise<NonNullable<TargetRecord["warmup"]>> {
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
    throw await failedExchange(parts, request.path, warmed.error.detail);
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
  inspected: Inspected,
  { path, expected }: CaseRequest,
  timeMs: number,
  signal: AbortSignal,
): Promise<ProfileLoad> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    const exchange = await inspected.instance.probe.exchange(path, expected, { digest: true });
    checkBody(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal.aborted) {
      return { exchanges, elapsedMs };
    }
    if (exchange.error !== null) {
      throw await failedExchange(inspected, path, exchange.error.detail);
    }
    if (elapsedMs >= timeMs) {
      return { exchanges, elapsedMs };
    }
  }
}

async function failedExchange(
  { instance, inspector, serving, logFile }: Inspected,
  path: string,
  why: string,
): Promise<ProfileError> {
  // A process of Node.js that ends waits for its debugger to leave, and answers nothing.
  inspector.close();
  const died = (await instance.causeOfDeath()) ?? describeReplaced(serving, instance.pids(), logFile);
  if (died !== null) {
    return new ProfileError(died.message, died.quotes);
  }
  return new ProfileError(
    `A request failed while ${path} was asked for (${why}). A profile of failing requests would mislead: see why with \`${EVENBENCH} preflight\`.`,
  );
}
