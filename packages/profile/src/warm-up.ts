import { readBuildRecord } from "@evenbench/bundle/deployable";
import type { CaseManifest, Host, Identity } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import { exchangeMeter } from "@evenbench/host";
import { checkDigest, type Expectation, type Probe } from "@evenbench/probe";
import type { ProfileLoad, ProfileWarmUp } from "@evenbench/results";
import type { LocalTarget } from "@evenbench/runner";
import { type NeedSubject, type RememberedNeeds, warmConnection } from "@evenbench/runner/engine";
import { ProfileError } from "./inspector.ts";

export interface ProfiledInstance {
  readonly target: LocalTarget;
  readonly manifest: CaseManifest;
  readonly host: Host;
  readonly probe: Probe;
  readonly identity: Identity;
  readonly expected: Expectation;
  readonly v8Flags: readonly string[];
}

export type NeedsOf = (subject: NeedSubject) => RememberedNeeds;

export async function warmUp(
  instance: ProfiledInstance,
  needsOf: NeedsOf,
  { atMostMs, signal }: { readonly atMostMs: number; readonly signal: AbortSignal },
): Promise<ProfileWarmUp> {
  const { target, manifest, host, probe, expected } = instance;
  const { path } = manifest;
  const remembered = needsOf(await subjectOf(instance));
  const { error, warm, exchanges, elapsedMs, needed } = await warmConnection(
    { name: target.name, probe, path, expected, readCost: exchangeMeter(() => host.pids()) },
    {
      needs: remembered.needs,
      subject: { name: target.name, target, copyOf: null },
      endsAt: performance.now() + atMostMs,
      signal,
    },
  );
  if (error !== null) throw failedExchange(path, error.detail);
  remembered.keep();
  return { exchanges, elapsedMs, steady: warm, needed };
}

/** A profiler makes every exchange longer: what is found under one is kept apart. */
async function subjectOf({ target, manifest, identity, v8Flags }: ProfiledInstance): Promise<NeedSubject> {
  const { id: caseId, path } = manifest;
  const build = await readBuildRecord(target.deployable);
  const under = ["profiler", ...v8Flags].join(" ");
  return { name: target.name, caseId, path, identity: withoutPort(identity), build, under };
}

/** The inspector has another port each time, which a cluster's worker is told a second time. */
function withoutPort(identity: Identity): Identity {
  const { v8Flags = null } = identity.facts;
  if (v8Flags === null) return identity;
  return {
    ...identity,
    facts: { ...identity.facts, v8Flags: v8Flags.replace(/(--inspect(-port)?)=\S+/g, "$1") },
  };
}

interface BusyConnection {
  readonly probe: Probe;
  readonly path: string;
  readonly expected: Expectation;
  readonly signal?: AbortSignal | undefined;
}

export async function keepBusy(
  { probe, path, expected, signal }: BusyConnection,
  timeMs: number,
): Promise<ProfileLoad> {
  const begun = performance.now();
  for (let exchanges = 1; ; exchanges++) {
    // The first body is checked as a whole, the others by status and length.
    const exchange = await probe.exchange(path, expected, { body: exchanges === 1 });
    checkDigest(exchange, expected);
    const elapsedMs = performance.now() - begun;
    if (signal?.aborted) return { exchanges, elapsedMs };
    if (exchange.error !== null) throw failedExchange(path, exchange.error.detail);
    if (elapsedMs >= timeMs) return { exchanges, elapsedMs };
  }
}

function failedExchange(path: string, why: string): ProfileError {
  return new ProfileError(
    `A request failed while ${path} was asked for (${why}). A profile of failing requests would mislead: see why with \`${EVENBENCH} preflight\`.`,
  );
}
