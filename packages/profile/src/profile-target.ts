import { join } from "node:path";
import { readBuildRecord } from "@evenbench/bundle/deployable";
import type { CaseManifest, Host, Identity, SameWork } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { accountant, claimPort, exchangeMeter, quoteLog, usedBetween } from "@evenbench/host";
import { checkDigest, EXCHANGE_TIMEOUT_MS, type Expectation, type Probe } from "@evenbench/probe";
import { formatPreflight, preflight } from "@evenbench/probe/preflight";
import type { ProfileLoad, ProfileWarmUp, TargetRecord } from "@evenbench/results";
import { type LocalTarget, preflightTargetOf } from "@evenbench/runner";
import {
  type InstanceSettings,
  type NeedOfTarget,
  probeOf,
  WarmUpNeeds,
  warmConnection,
} from "@evenbench/runner/engine";
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

export interface ProfileTargetOptions extends Pick<InstanceSettings, "logFolder" | "cores" | "environment"> {
  readonly timeMs: number;
  readonly v8Flags?: readonly string[];
  readonly mostWarmUpMs?: number;
  /** Default: it is found out. */
  needsOf?(target: NeedOfTarget): WarmUpNeeds;
  readonly sameWork?: SameWork;
  readonly signal?: AbortSignal;
  onPhase?(phase: "start" | "warmup" | "sample" | "read"): void;
}

export interface TargetProfile extends Omit<TargetRecord, "file"> {
  readonly profile: CpuProfile;
}

interface ProfiledInstance {
  readonly target: LocalTarget;
  readonly manifest: CaseManifest;
  readonly host: Host;
  readonly probe: Probe;
  readonly inspector: InspectorSession;
  readonly identity: Identity;
  readonly expected: Expectation;
}

/** Of a fresh instance, over V8's inspector, while one connection asks for a case, one request after the other. */
export async function profileTarget(
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileTargetOptions,
): Promise<TargetProfile> {
  const { cores, v8Flags = [], environment = {}, onPhase } = options;
  onPhase?.("start");
  const isOwn = target.ownServer !== undefined;
  const inspectPort = isOwn ? 0 : await claimPort(0);
  const logFile = join(options.logFolder, `${target.name}.log`);
  const { platform, deployable } = target;
  const places = { deployable, port: 0, inspectPort, logFile };
  const host = await platform.serve({ ...places, cores, workers: 1, v8Flags, environment });
  const probe = probeOf(target, host.url, EXCHANGE_TIMEOUT_MS);
  let inspector: InspectorSession | null = null;
  try {
    inspector = isOwn ? await findServing(target.name, logFile) : await connect(inspectPort, logFile);
    const proved = await prove(target, manifest, host, options.sameWork);
    if (isOwn) {
      const version = String(await evaluate(inspector, "process.versions.node"));
      Object.assign(proved.identity.facts, { runtime: `Node.js ${version}` });
    }
    const instance = { target, manifest, host, probe, inspector, ...proved };
    return await sampleInstance(instance, options);
  } finally {
    inspector?.close();
    await probe.close();
    await host.stop();
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

async function prove(target: LocalTarget, manifest: CaseManifest, host: Host, sameWork: SameWork = "proven") {
  const targets = [preflightTargetOf(target, host.url)];
  const result = await preflight({ targets, cases: [manifest], sameWork });
  const identity = result.identities[target.name];
  const expected = result.ownExpectations[manifest.id]?.[target.name] ?? result.expectations[manifest.id];
  if (result.ok && identity !== undefined && expected !== undefined) return { identity, expected };
  throw new ProfileError(`${target.name} is not profiled.\n${formatPreflight(result)}`);
}

async function sampleInstance(
  instance: ProfiledInstance,
  options: ProfileTargetOptions,
): Promise<TargetProfile> {
  const { target, manifest, host, inspector, identity } = instance;
  const { timeMs, onPhase, signal = new AbortController().signal } = options;
  const sampled = <T>(work: () => Promise<T>) => recordCpuProfile(inspector, SAMPLE_INTERVAL_US, work);
  onPhase?.("warmup");
  // V8 keeps the places of inlined functions in what it compiles while it is profiled, and only there.
  const { result: warmup } = await sampled(() => warmUp(instance, options, signal));
  if (signal.aborted) throw new ProfileError(`Interrupted before a profile of ${target.name} was taken.`);
  onPhase?.("sample");
  const { profile, result } = await sampled(async () => {
    const before = await accountant.read(host.pids());
    const load = await keepBusy(instance, timeMs, signal);
    const used = usedBetween(before, await accountant.read(host.pids()));
    return { load, cpuMs: used?.cpuMs ?? null };
  });
  onPhase?.("read");
  const { deployable, app, platform, ownServer } = target;
  const attribution = await attribute(profile, {
    deployable,
    runtime: /^\S+/.exec(identity.facts.runtime ?? "")?.[0] ?? "runtime",
    adapters: [app.adapters, platform.adapters].filter((pattern) => pattern !== undefined),
    isOwn: ownServer !== undefined,
  });
  return {
    target: target.name,
    caseId: manifest.id,
    identity,
    intervalUs: SAMPLE_INTERVAL_US,
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    warmup,
    ...result,
    ...selfTime(profile, attribution),
    profile,
  };
}

async function warmUp(
  instance: ProfiledInstance,
  options: ProfileTargetOptions,
  signal: AbortSignal,
): Promise<ProfileWarmUp> {
  const { target, manifest, host, probe, expected } = instance;
  const { path } = manifest;
  const { timeMs, mostWarmUpMs = Math.min(MOST_TIMES_SAMPLED * timeMs, MOST_WARM_UP_MS) } = options;
  const needs = await needsOf(instance, options);
  const { error, warm, exchanges, elapsedMs, needed } = await warmConnection(
    { name: target.name, probe, path, expected, readCost: exchangeMeter(() => host.pids()) },
    {
      needs,
      target: { name: target.name, target, copyOf: null },
      endsAt: performance.now() + mostWarmUpMs,
      signal,
    },
  );
  if (error !== null) throw failedExchange(path, error.detail);
  needs.keep();
  return { exchanges, elapsedMs, steady: warm, needed };
}

/** A profiler makes every exchange longer: what is found under one is kept apart. */
async function needsOf(
  { target, manifest, identity }: ProfiledInstance,
  { needsOf: find, v8Flags = [] }: ProfileTargetOptions,
): Promise<WarmUpNeeds> {
  if (find === undefined || target.ownServer !== undefined) return new WarmUpNeeds();
  const { id: caseId, path } = manifest;
  const build = await readBuildRecord(target.deployable);
  const under = ["profiler", ...v8Flags].join(" ");
  return find({ name: target.name, caseId, path, identity: withoutPort(identity), build, under });
}

/** The inspector has another port each time, which a cluster's worker is told a second time. */
function withoutPort(identity: Identity): Identity {
  const { v8Flags } = identity.facts;
  if (v8Flags == null) return identity;
  const facts = { ...identity.facts, v8Flags: v8Flags.replace(/(--inspect(-port)?)=\S+/g, "$1") };
  return { ...identity, facts };
}

async function keepBusy(
  { probe, manifest: { path }, expected }: ProfiledInstance,
  timeMs: number,
  signal: AbortSignal,
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

function failedExchange(path: string, why: string): ProfileError {
  return new ProfileError(
    `A request failed while ${path} was asked for (${why}). A profile of failing requests would mislead: see why with \`${EVENBENCH} preflight\`.`,
  );
}
