import { type BuildRecord, type CaseManifest, type Identity, openRecord } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import { describeUnconfirmed, unknownSetting } from "@evenbench/probe/preflight";
import type { InstanceSettings } from "./instance.ts";
import { type ProofTerms, RunError, type Target } from "./options.ts";
import type { EventSink } from "./recorder.ts";
import { verifySides } from "./sides.ts";
import { type Verified, verify } from "./verify.ts";

export interface ToProve {
  readonly targets: readonly Target[];
  readonly cases: readonly CaseManifest[];
}

export interface Proved extends Pick<Verified, "identities" | "expectations" | "ownExpectations"> {
  /** As preflight saw it, by case id. */
  readonly seen: Readonly<
    Record<string, { readonly exchangeMs: Readonly<Record<string, number>>; readonly startMs: number }>
  >;
}

export interface ProofSession {
  readonly signal: AbortSignal;
  readonly recorder: EventSink;
  readonly instanceSettings: InstanceSettings;
}

/** @throws {RunError} when a target does not start, or preflight finds a problem. */
export async function prove(
  groups: readonly ToProve[],
  {
    otherCaseIds = [],
    allow = [],
    expectedToDiffer = [],
    sameWork = "proven",
    asksForGolden = true,
    sides = false,
  }: ProofTerms,
  { signal, recorder, instanceSettings }: ProofSession,
): Promise<Proved> {
  const proved = {
    identities: openRecord<Identity>(),
    expectations: openRecord<Expectation>(),
    ownExpectations: openRecord<Readonly<Record<string, Expectation>>>(),
    seen: openRecord<Proved["seen"][string]>(),
  };
  for (const { targets, cases } of groups) {
    const allowed = [...allow, ...expectedToDiffer];
    const terms = { otherCaseIds, allow: allowed, sameWork, asksForGolden, signal };
    const verified = await (sides ? verifySides : verify)(targets, cases, terms, instanceSettings).catch(
      (error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      },
    );
    if (verified === null || signal.aborted) break;
    Object.assign(proved.identities, verified.identities);
    Object.assign(proved.expectations, verified.expectations);
    Object.assign(proved.ownExpectations, verified.ownExpectations);
    for (const { id } of cases)
      proved.seen[id] = { exchangeMs: verified.exchangeMs[id] ?? {}, startMs: verified.startMs };
    tell(verified, expectedToDiffer, recorder);
    const [first] = targets;
    const why = sides ? verified.unproved?.[first?.name ?? ""] : undefined;
    if (why !== undefined) throw new RunError(why);
  }
  const unknown = signal.aborted ? null : unknownSetting(allow, proved.identities);
  if (unknown !== null) throw new RunError(unknown);
  return proved;
}

/** @param target has an expectation of its own, or not. */
export function expectationOf(
  { expectations, ownExpectations }: Proved,
  caseId: string,
  target = "",
): Expectation {
  const expected = ownExpectations[caseId]?.[target] ?? expectations[caseId];
  if (expected === undefined) throw new Error(`Preflight let "${caseId}" pass without an expectation.`);
  return expected;
}

function tell(
  { differences, toConfirm, warnings, assumed, unknown, unproved = {} }: Verified,
  expectedToDiffer: readonly string[],
  recorder: EventSink,
): void {
  for (const [target, why] of Object.entries(unproved)) recorder.event("target-dropped", why, { target });
  for (const { what, values, caseId } of assumed) {
    const seen = Object.entries(values).map(([target, value]) => `${target}: ${value}`);
    recorder.event("work-unproven", [what, ...seen].join(" "), { caseId });
  }
  for (const sentence of unknown) recorder.event("settings-unknown", sentence);
  for (const sentence of differences) recorder.event("body-varies", sentence);
  for (const [caseId, golden] of Object.entries(toConfirm)) {
    recorder.event("golden-unconfirmed", describeUnconfirmed(caseId, golden), { caseId });
  }
  for (const { pin, what, values } of warnings) {
    if (pin !== null && expectedToDiffer.includes(pin)) continue;
    recorder.event("pin-allowed", `${what} It was allowed: ${JSON.stringify(values)}.`);
  }
}

/** By target name; null where it was not recorded. */
export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets
    .filter(({ ownServer }) => ownServer === undefined)
    .filter((target) => target.place === "local");
  if (local.length === 0) return {};
  // Whoever measures servers of their own needs nothing of what builds ours.
  const { readBuildRecord } = await import("@evenbench/bundle/deployable");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
