// What an app keeps of its requests: two snapshots of its heap, with requests between them.
import type { CaseManifest } from "@evenbench/core";
import { takeHeapSnapshot } from "@evenbench/host/inspector";
import type { KeptRecord } from "@evenbench/results";
import {
  inTurn,
  type LocalTarget,
  logFileIn,
  openInspectorAtStart,
  type ProofSession,
  probeOf,
  requestsOf,
  sendBlock,
  sendOne,
  serveLocal,
} from "@evenbench/runner";
import { heldBy, keptBetween } from "./heap-snapshot.ts";
import { factsOf, type ProfileOptions, proveTarget } from "./proof.ts";

/** What was kept by one target, with the two snapshots. */
export interface TakenKept extends Omit<KeptRecord, "before" | "after"> {
  /** JSON, as V8 gives it. */
  readonly before: string;
  readonly after: string;
}

/**
 * Takes two snapshots of a fresh instance's heap: after a block of requests, which fills caches, and after another.
 *
 * @throws {Error} where no inspector can be reached, or a request fails.
 */
export async function profileKept(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileOptions,
): Promise<TakenKept> {
  const { name } = target;
  const settings = { ...session.instanceSettings, workers: 1 };
  options.onPhase?.(name, "start");
  const inspected = await openInspectorAtStart(target);
  const { identity, expected } = await proveTarget(session, inspected.target, manifest, options);
  const nextRequest = requestsOf({ path: manifest.path, expected });
  await using open = new AsyncDisposableStack();
  const host = await serveLocal(inspected.target, name, settings);
  open.defer(() => host.stop());
  const probe = probeOf(target, host.url, settings.exchangeTimeoutMs);
  open.defer(() => probe.close());
  const inspector = await inspected.connect(logFileIn(settings.logFolder, name));
  open.defer(() => inspector.close());
  const facts = await factsOf(target, identity, inspector);
  const snapshot = () => inTurn(takeHeapSnapshot(inspector), () => sendOne(probe, nextRequest));

  options.onPhase?.(name, "warmup");
  await sendBlock([probe], nextRequest);
  const { result: before, requests: ofSnapshot } = await snapshot();
  options.onPhase?.(name, "sample");
  const requests = (await sendBlock([probe], nextRequest)) + ofSnapshot;
  const { result: after } = await snapshot();
  options.onPhase?.(name, "read");
  return {
    target: name,
    caseId: manifest.id,
    identity: { ...identity, facts },
    requests,
    rows: [...keptBetween(heldBy(before), heldBy(after))],
    before,
    after,
  };
}
