// The profile of a start: from the first of an app's modules to the last.
import { setTimeout as delay } from "node:timers/promises";
import type { CaseManifest, Host, Identity } from "@evenbench/core";
import { ask } from "@evenbench/core/http";
import { InspectorError, type InspectorSession, startProfiler } from "@evenbench/host/inspector";
import {
  type LocalTarget,
  logFileIn,
  openInspectorAtStart,
  type ProofSession,
  serveLocal,
  startedAs,
} from "@evenbench/runner";
import { attribute } from "./attribution.ts";
import { factsOf, ProfileError, type ProfileOptions, proveTarget, type TakenProfile } from "./proof.ts";
import { selfTime } from "./self-time.ts";

/** Microseconds between two samples: a start is short. */
const SAMPLE_INTERVAL_US = 100;
/** Milliseconds within which a process that starts opens its inspector, and from one attempt to the next. */
const INSPECTOR_OPENS = { withinMs: 20_000, everyMs: 50 } as const;

/**
 * Takes a profile of the start of an app. On workerd it is of the request that evaluates the modules, which were compiled
 * before; elsewhere of all that a process does until it takes connections.
 *
 * @throws {ProfileError} for a target whose platform has no start-up, or that does not start.
 */
export async function profileStart(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileOptions,
): Promise<TakenProfile> {
  const { name, platform } = target;
  const { startUp } = platform;
  if (startUp === undefined) {
    throw new ProfileError(
      `The start of ${name} is not measured: a command starts what it likes. Profile it by Node.js itself (node --cpu-prof), or let Evenbench build the app (--own-app).`,
    );
  }
  options.onPhase?.(name, "start");
  const { identity } = await proveTarget(session, target, manifest, options);
  options.onPhase?.(name, "sample");
  const { evaluatedAt } = startUp;
  const started = startedAs(target, evaluatedAt === null ? "app" : "compiled", manifest.path);
  const sample = evaluatedAt === null ? sampleProcess : sampleRequest(evaluatedAt);
  const { profile, facts } = await sample(session, started, identity);
  options.onPhase?.(name, "read");
  return {
    target: name,
    caseId: manifest.id,
    identity: { ...identity, facts },
    intervalUs: SAMPLE_INTERVAL_US,
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    warmup: null,
    load: null,
    // The profiler's own thread takes more than the app does.
    cpuMs: null,
    ...selfTime(profile, await attribute(profile, target, facts.runtime)),
    profile,
  };
}

type SampledStart = Pick<TakenProfile, "profile"> & Pick<Identity, "facts">;

/** A path that no module of an app is evaluated for. */
const EMPTY_PATH = "/evenbench-empty";
/** Milliseconds within which the request that evaluates modules has to be answered. */
const EVALUATED_WITHIN_MS = 30_000;

/** Makes the sampling of a request that evaluates an app's modules. */
function sampleRequest(path: string) {
  return async (
    { instanceSettings, signal }: ProofSession,
    target: LocalTarget,
    { facts }: Identity,
  ): Promise<SampledStart> => {
    const settings = { ...instanceSettings, workers: 1 };
    const inspected = await openInspectorAtStart(target);
    await using open = new AsyncDisposableStack();
    const host = await serveLocal(inspected.target, target.name, settings);
    open.defer(() => host.stop());
    const log = logFileIn(settings.logFolder, target.name);
    const inspector = await onceOpen(() => inspected.connect(log), signal);
    open.defer(() => inspector.close());
    await askToStart(target, host, EMPTY_PATH, signal);
    const endSampling = await startProfiler(inspector, SAMPLE_INTERVAL_US);
    await askToStart(target, host, path, signal);
    return { profile: await endSampling(), facts };
  };
}

/** Asks a host whose start is profiled for a path. @throws {ProfileError} for a status that is no success. */
async function askToStart(
  { name }: LocalTarget,
  host: Host,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const timeoutMs = EVALUATED_WITHIN_MS;
  const { status } = await ask(host.url + path, { headers: {}, agent: false, timeoutMs, signal });
  if (status >= 300) {
    throw new ProfileError(
      `The modules of ${name} were not evaluated (HTTP ${status}): its log says why. A profile evaluates them in a request, where its platform makes no code from strings; app measures such a start.`,
    );
  }
}

/** Samples a process from its first module until it takes connections. */
async function sampleProcess(
  { instanceSettings, signal }: ProofSession,
  target: LocalTarget,
  identity: Identity,
): Promise<SampledStart> {
  const settings = { ...instanceSettings, workers: 1 };
  const inspected = await openInspectorAtStart(target);
  await using open = new AsyncDisposableStack();
  const starting = serveLocal(inspected.target, target.name, settings);
  open.defer(() => starting.then((host: Host) => host.stop()).catch(() => {}));
  const log = logFileIn(settings.logFolder, target.name);
  const inspector = await Promise.race([onceOpen(() => inspected.connect(log), signal), failed(starting)]);
  open.defer(() => inspector.close());
  const endSampling = await startProfiler(inspector, SAMPLE_INTERVAL_US);
  await inspector.call("Runtime.runIfWaitingForDebugger");
  await starting;
  const profile = await endSampling();
  return { profile, facts: await factsOf(target, identity, inspector) };
}

/** Connects as soon as an inspector is open. @throws {InspectorError} where it is not in time. */
async function onceOpen(
  connect: () => Promise<InspectorSession>,
  signal: AbortSignal,
): Promise<InspectorSession> {
  for (const endsAt = performance.now() + INSPECTOR_OPENS.withinMs; ; ) {
    try {
      return await connect();
    } catch (error) {
      if (!(error instanceof InspectorError) || performance.now() > endsAt) {
        throw error;
      }
      await delay(INSPECTOR_OPENS.everyMs, undefined, { signal });
    }
  }
}

/** Rejects where a start fails, and never resolves. */
async function failed(starting: Promise<unknown>): Promise<never> {
  await starting;
  return new Promise(() => {});
}
