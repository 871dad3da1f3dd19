import type { CaseManifest, Identity, SameWork, ServeOptions } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { claimPort, quoteLog, usedBetween } from "@evenbench/host";
import { checkDigest } from "@evenbench/probe";
import type { ProfileLoad, ProfileWarmUp, TargetRecord } from "@evenbench/results";
import {
  type CaseRequest,
  expectationOf,
  type Instance,
  type LocalTarget,
  logFileIn,
  type MeasuredTarget,
  type ProofSession,
  prove,
  startInstance,
  type WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner";
import { attribute } from "./attribution.ts";
import {
  type CpuProfile,
  connectInspector,
  evaluate,
  findServing,
  type InspectorSession,
  ProfileError,
  recordCpuProfile,
} from "./inspector.ts";
import { selfTime } from "./self-time.ts";

/** V8's own default. A shorter one costs the profiled code more time. */
const SAMPLE_INTERVAL_US = 1000;

/** Up to what is longer than any search. */
const MOST_TIMES_SAMPLED = 6;
const MOST_WARM_UP_MS = 60_000;

export interface ProfileTargetOptions {
  readonly timeMs: number;
  readonly mostWarmUpMs?: number | undefined;
  /** A profiler makes every exchange longer: what is found under one is for profiles alone. */
  readonly needs: WarmUpNeeds;
  readonly sameWork?: SameWork | undefined;
  onPhase?(phase: "start" | "warmup" | "sample" | "read"): void;
}

interface Profiled extends CaseRequest {
  readonly measured: MeasuredTarget & { readonly target: LocalTarget };
  readonly manifest: CaseManifest;
  readonly instance: Instance;
  readonly identity: Identity;
  readonly signal: AbortSignal;
}

/** Of a fresh instance, over V8's inspector, while one connection asks for a case, one request after the other. */
export async function profileTarget(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileTargetOptions,
) {
  const { signal, instanceSettings } = session;
  options.onPhase?.("start");
  const { name } = target;
  const isOwn = target.ownServer !== undefined;
  let inspectPort = 0;
  const serve = async (asked: ServeOptions) => {
    inspectPort = isOwn ? 0 : await claimPort(0);
    return target.platform.serve({ ...asked, inspectPort });
  };
  const inspected = { ...target, platform: { ...target.platform, serve } };
  const groups = [{ targets: [inspected], cases: [manifest] }];
  const proved = await prove(groups, { sameWork: options.sameWork ?? "proven" }, session);
  const identity = proved.identities[name];
  if (identity === undefined) throw interrupted(name);
  const measured = { name, target: inspected, copyOf: null };
  const instance = await startInstance(measured, identity, instanceSettings);
  let inspector: InspectorSession | null = null;
  try {
    const logFile = logFileIn(instanceSettings.logFolder, name);
    inspector = isOwn ? await findServing(name, logFile) : await connect(inspectPort, logFile);
    const runtime = isOwn ? `Node.js ${await evaluate(inspector, "process.versions.node")}` : null;
    const facts = { ...identity.facts, ...(runtime !== null && { runtime }) };
    const asked = { path: manifest.path, expected: expectationOf(proved, manifest.id, name) };
    const seen = { measured, manifest, instance, identity: { ...identity, facts }, signal, ...asked };
    return await sampleInstance(seen, inspector, options);
  } finally {
    inspector?.close();
    await instance.stop();
  }
}

/** The runtime's own words say why it opened no inspector. */
async function connect(port: number, logFile: string): Promise<InspectorSession> {
  try {
    return await connectInspector(port);
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    throw new ProfileError(`${error.message} Start again; it gets another port.\n${quoteLog(logFile)}`);
  }
}

async function sampleInstance(
  profiled: Profiled,
  inspector: InspectorSession,
  options: ProfileTargetOptions,
): Promise<Omit<TargetRecord, "file"> & { readonly profile: CpuProfile }> {
  const { measured, manifest, instance, identity, signal } = profiled;
  const sampled = <T>(work: () => Promise<T>) => recordCpuProfile(inspector, SAMPLE_INTERVAL_US, work);
  options.onPhase?.("warmup");
  // V8 keeps the places of inlined functions in what it compiles while it is profiled, and only there.
  const { result: warmup } = await sampled(() => warmUp(profiled, options));
  if (signal.aborted) throw interrupted(measured.name);
  options.onPhase?.("sample");
  const { profile, result } = await sampled(async () => {
    const before = await instance.account();
    const load = await keepBusy(profiled, options.timeMs);
    const used = usedBetween(before, await instance.account());
    return { load, cpuMs: used?.cpuMs ?? null };
  });
  options.onPhase?.("read");
  const ownerOf = await attribute(profile, measured.target, identity.facts.runtime);
  return {
    ...{ target: measured.name, caseId: manifest.id, identity, intervalUs: SAMPLE_INTERVAL_US },
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    ...{ warmup, ...result, ...selfTime(profile, ownerOf), profile },
  };
}

async function warmUp(profiled: Profiled, options: ProfileTargetOptions): Promise<ProfileWarmUp> {
  const { measured, instance, path, expected, signal } = profiled;
  const { timeMs, needs, mostWarmUpMs = Math.min(MOST_TIMES_SAMPLED * timeMs, MOST_WARM_UP_MS) } = options;
  const { error, warm, exchanges, elapsedMs, needed } = await warmConnection(
    { name: measured.name, probe: instance.probe, path, expected, readCost: instance.readCost },
    { needs, target: measured, endsAt: performance.now() + mostWarmUpMs, signal },
  );
  if (error !== null) throw failedExchange(path, error.detail);
  return { exchanges, elapsedMs, steady: warm, needed };
}

async function keepBusy(
  { instance: { probe }, path, expected, signal }: Profiled,
  timeMs: number,
): Promise<ProfileLoad> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    // The first body is checked as a whole, the others by status and length.
    const exchange = await probe.exchange(path, expected, { body: exchanges === 1 });
    checkDigest(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal.aborted) return { exchanges, elapsedMs };
    if (exchange.error !== null) throw failedExchange(path, exchange.error.detail);
    if (elapsedMs >= timeMs) return { exchanges, elapsedMs };
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
