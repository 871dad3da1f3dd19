import { type CaseManifest, type Identity, openRecord } from "@evenbench/core";
import type { Expectation } from "@evenbench/probe";
import type { PreflightResult } from "@evenbench/probe/preflight";
import type { EventSink } from "./recorder.ts";
import type { SeenTimes } from "./warm-up-needs.ts";

/** The findings of preflight on the targets that can be measured. */
export interface PreflightOutcome {
  /** Identities by name of the target. */
  readonly identities: Record<string, Identity>;
  /** Expected answers by case id, then by name of the target. */
  readonly expectations: Record<string, Readonly<Record<string, Expectation>>>;
  /** Masks that were found for own servers, by case id, then by name of the target. */
  readonly masks: Record<string, PreflightResult["masks"][string]>;
  /** Which answers came from caches, in words, by id of each case that has such answers. */
  readonly cached: Record<string, string>;
  /** Times that preflight saw, by case id. */
  readonly seen: Record<string, SeenTimes>;
}

/** The result of preflight, with the time to start all targets. */
export type Verified = PreflightResult &
  Pick<SeenTimes, "startMs"> & {
    /** Names of the targets whose servers others can reach. */
    readonly open: readonly string[];
  };

/** Adds what preflight found of some targets to the outcome of all. */
export function addFindings(
  proved: PreflightOutcome,
  cases: readonly CaseManifest[],
  { identities, expectations, exchangeMs, startMs, masks, fromCache }: Verified,
): void {
  Object.assign(proved.identities, identities);
  for (const { id } of cases) {
    if (masks[id] !== undefined) {
      proved.masks[id] = Object.assign(openRecord(), proved.masks[id], masks[id]);
    }
    const says = Object.entries(fromCache[id] ?? {}).map(([target, header]) => `${target} says "${header}"`);
    if (says.length > 0) {
      const saidBefore = proved.cached[id];
      const all = saidBefore === undefined ? says : [saidBefore, ...says];
      proved.cached[id] = all.join(", ");
    }
    const before = proved.seen[id] ?? { exchangeMs: {}, startMs: 0 };
    proved.expectations[id] = Object.assign(openRecord(), proved.expectations[id], expectations[id]);
    proved.seen[id] = {
      exchangeMs: Object.assign(openRecord(), before.exchangeMs, exchangeMs[id]),
      startMs: before.startMs + startMs,
    };
  }
}

/** Adds to a case that caches answer it, where its answers say so. */
export function withCache(manifest: CaseManifest, { cached }: PreflightOutcome): CaseManifest {
  const says = cached[manifest.id];
  if (says === undefined || manifest.partlyCached) {
    return manifest;
  }
  const before = manifest.cached === undefined ? [] : [manifest.cached];
  const why = [...before, `Its answers come from a cache or a file: ${says}.`].join(" ");
  return { ...manifest, cached: why, answeredBy: manifest.answeredBy ?? "cache" };
}

/**
 * Adds to a case of a user's own servers what all of them answered: by that two runs are known to be of the same work.
 * A case whose answers vary, or differ between servers, stays as it is.
 */
export function withAnswer(
  manifest: CaseManifest,
  { expectations }: Pick<PreflightOutcome, "expectations">,
): CaseManifest {
  const [first, ...others] = Object.values(expectations[manifest.id] ?? {});
  if (manifest.request === undefined || first === undefined) {
    return manifest;
  }
  const { status, contentType, bytes, sha256 } = first;
  const isIt = (other: Expectation) =>
    other.unchecked === undefined && other.sha256 === sha256 && other.status === status;
  return [first, ...others].every(isIt)
    ? { ...manifest, golden: { status, contentType, bytes, sha256 } }
    : manifest;
}

/** Names the servers of a user's own that answer 200 with no body where the method has one: that is seldom the work. */
export function emptyAnswersOf(
  { id, golden, request }: CaseManifest,
  { expectations }: PreflightOutcome,
): readonly string[] {
  if (golden !== null || request?.method === "HEAD") {
    return [];
  }
  const ofCase = Object.entries(expectations[id] ?? {});
  return ofCase.filter(([, { status, bytes }]) => status === 200 && bytes === 0).map(([name]) => name);
}

/**
 * Finds the answer that a target has to give in a case.
 *
 * @param target its name. Default: any of them, where all have one expectation.
 * @throws {Error} if preflight has not seen it.
 */
export function expectationOf(
  { expectations }: PreflightOutcome,
  caseId: string,
  target?: string,
): Expectation {
  const ofCase = expectations[caseId] ?? {};
  const expected = target === undefined ? Object.values(ofCase)[0] : ofCase[target];
  if (expected === undefined) {
    throw new Error(`Preflight let "${caseId}" pass without an expectation.`);
  }
  return expected;
}

/** Reports what preflight let pass, as events. */
export function reportFindings(
  { differences, toConfirm, warnings, assumed, unknown, headers, hidden }: PreflightResult,
  expectedToDiffer: readonly string[],
  recorder: EventSink,
): void {
  for (const { what, values, caseId } of assumed) {
    const seen = Object.entries(values).map(([target, value]) => `${target}: ${value}`);
    recorder.event("work-unproven", [what, ...seen].join(" "), { caseId });
  }
  for (const sentence of unknown) {
    recorder.event("settings-unknown", sentence);
  }
  for (const sentence of headers) {
    recorder.event("headers-differ", sentence);
  }
  for (const [caseId, sentences] of Object.entries(hidden)) {
    for (const sentence of sentences) {
      recorder.event("body-masked", sentence, { caseId });
    }
  }
  for (const [caseId, sentence] of Object.entries(differences)) {
    recorder.event("body-varies", sentence, { caseId });
  }
  for (const [caseId, golden] of Object.entries(toConfirm)) {
    const agreed = `case "${caseId}" has no golden values; all targets agree on ${JSON.stringify(golden)}`;
    recorder.event("golden-unconfirmed", agreed, { caseId });
  }
  for (const { pin, what, values } of warnings) {
    if (pin !== null && expectedToDiffer.includes(pin)) {
      continue;
    }
    recorder.event("pin-allowed", `${what} It was allowed: ${JSON.stringify(values)}.`);
  }
}
