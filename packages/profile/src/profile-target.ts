import { join } from "node:path";
import type { CaseManifest, Host, Identity } from "@evenbench/core";
import { accountant, claimPort, quoteLog, usedBetween } from "@evenbench/host";
import { createProbe, type Expectation } from "@evenbench/probe";
import { formatPreflight, preflight } from "@evenbench/probe/preflight";
import type { ProfileLoad, TargetRecord } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import { WarmUpNeeds } from "@evenbench/runner/engine";
import { attribute } from "./attribution/attribute.ts";
import type { CpuProfile } from "./cpu-profile.ts";
import { connectInspector, type InspectorSession, ProfileError, recordCpuProfile } from "./inspector.ts";
import { selfTime } from "./self-time.ts";
import { keepBusy, type NeedsOf, type ProfiledInstance, warmUp } from "./warm-up.ts";

/** V8's own default. A shorter one costs the profiled code more time. */
const SAMPLE_INTERVAL_US = 1000;

/**
 * A warm-up may take so many times as long as samples are taken, up to what is longer than any search and
 * than slow pages were found to need.
 */
const MOST_TIMES_SAMPLED = 6;
const MOST_WARM_UP_MS = 60_000;

export interface ProfileTargetOptions {
  readonly timeMs: number;
  readonly logFolder: string;
  readonly cores: string | null;
  readonly v8Flags?: readonly string[];
  /** Where the case's services are, as `startServices` says. Default: the case has none. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Longest that the warm-up may take, in milliseconds. Default: six times as long as samples are taken,
   * up to a minute.
   */
  readonly mostWarmUpMs?: number;
  /** Where it is known what instances need to be warm. Default: nowhere, and it is found out. */
  readonly needsOf?: NeedsOf;
  readonly signal?: AbortSignal;
  onPhase?(phase: "start" | "warmup" | "sample" | "read"): void;
}

export interface TargetProfile extends Omit<TargetRecord, "file"> {
  readonly profile: CpuProfile;
}

/**
 * Takes a CPU profile of a fresh instance of a target, over V8's inspector, while one connection asks for
 * a case, one request after the other. The instance is warmed up before, and ended after.
 */
export async function profileTarget(
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileTargetOptions,
): Promise<TargetProfile> {
  const { signal = new AbortController().signal, onPhase } = options;
  onPhase?.("start");
  const inspectPort = await claimPort(0);
  const logFile = join(options.logFolder, `${target.name}.log`);
  const host = await serve(target, options, { inspectPort, logFile });
  const probe = createProbe(host.url);
  let session: InspectorSession | null = null;
  try {
    session = await connect(inspectPort, logFile);
    const proved = await prove(target, manifest, host);
    const v8Flags = options.v8Flags ?? [];
    const instance = { target, manifest, host, probe, v8Flags, ...proved };
    return await sampleInstance(instance, session, { ...options, signal });
  } finally {
    session?.close();
    await probe.close();
    await host.stop();
  }
}

function serve(
  { platform, deployable }: LocalTarget,
  { cores, v8Flags = [], environment = {} }: ProfileTargetOptions,
  place: { readonly inspectPort: number; readonly logFile: string },
): Promise<Host> {
  return platform.serve({ deployable, port: 0, cores, workers: 1, v8Flags, environment, ...place });
}

async function sampleInstance(
  instance: ProfiledInstance,
  inspector: InspectorSession,
  { timeMs, signal, onPhase, ...options }: ProfileTargetOptions & { readonly signal: AbortSignal },
): Promise<TargetProfile> {
  const { target, manifest, host, identity } = instance;
  const usualMs = Math.min(MOST_TIMES_SAMPLED * timeMs, MOST_WARM_UP_MS);
  const { needsOf = nothingKnown, mostWarmUpMs: atMostMs = usualMs } = options;
  const sampled = <T>(work: () => Promise<T>) => recordCpuProfile(inspector, SAMPLE_INTERVAL_US, work);
  onPhase?.("warmup");
  // V8 keeps the places of inlined functions in what it compiles while it is profiled, and only there.
  const { result: warmup } = await sampled(() => warmUp(instance, needsOf, { atMostMs, signal }));
  if (signal.aborted) throw new ProfileError(`Interrupted before a profile of ${target.name} was taken.`);
  onPhase?.("sample");
  const connection = { ...instance, path: manifest.path, signal };
  const { profile, result: done } = await sampled(() => accounted(host, () => keepBusy(connection, timeMs)));
  onPhase?.("read");
  const { deployable, app, platform } = target;
  const adapters = [app.adapters, platform.adapters].filter((pattern) => pattern !== undefined);
  const attribution = await attribute(profile, { deployable, runtime: runtimeOf(identity), adapters });
  return {
    target: target.name,
    caseId: manifest.id,
    identity,
    intervalUs: SAMPLE_INTERVAL_US,
    sampledMs: (profile.endTime - profile.startTime) / 1000,
    warmup,
    ...done,
    ...selfTime(profile, attribution),
    profile,
  };
}

const nothingKnown: NeedsOf = () => ({ needs: new WarmUpNeeds(new Map(), null), keep() {} });

async function accounted(
  host: Host,
  work: () => Promise<ProfileLoad>,
): Promise<{ load: ProfileLoad; cpuMs: number | null }> {
  const before = await accountant.read(host.pids());
  const load = await work();
  const after = await accountant.read(host.pids());
  return { load, cpuMs: before === null || after === null ? null : usedBetween(before, after).cpuMs };
}

/**
 * A profile of other work than the case's would be worth nothing: the bodies are checked first, as in
 * every run.
 */
async function prove(
  { name }: LocalTarget,
  manifest: CaseManifest,
  host: Host,
): Promise<{ identity: Identity; expected: Expectation }> {
  const result = await preflight({ targets: [{ name, url: host.url }], cases: [manifest] });
  const identity = result.identities[name];
  const expected = result.expectations[manifest.id];
  if (result.ok && identity !== undefined && expected !== undefined) return { identity, expected };
  throw new ProfileError(`${name} is not profiled.\n${formatPreflight(result)}`);
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

function runtimeOf({ facts }: Identity): string {
  return /^\S+/.exec(facts.runtime ?? "")?.[0] ?? "runtime";
}
