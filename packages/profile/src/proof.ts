// What every profile begins with: the proof that a target does its work, and what it runs on.
import type { Profiler } from "node:inspector";
import { type CaseManifest, type Identity, type SameWork, UserError } from "@evenbench/core";
import { evaluate, type InspectorSession } from "@evenbench/host/inspector";
import type { TargetRecord } from "@evenbench/results";
import {
  type CaseRequest,
  checkTargets,
  expectationOf,
  type LocalTarget,
  type ProofSession,
  type WarmUpNeeds,
} from "@evenbench/runner";

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

interface ProvedTarget {
  readonly identity: Identity;
  readonly expected: CaseRequest["expected"];
}

/** Has preflight check a target. @throws {ProfileError} where that is interrupted. */
export async function proveTarget(
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
export async function factsOf(
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

export function interrupted(name: string): ProfileError {
  return new ProfileError(`Interrupted before a profile of ${name} was taken.`);
}

/** The error of a profile that could not be taken. Its message says why, and what to do. */
export class ProfileError extends UserError {
  override readonly name = "ProfileError";
}
