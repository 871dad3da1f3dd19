// What an app keeps of its requests: two snapshots of its heap, with requests between them.
import type { CaseManifest } from "@evenbench/core";
import { takeHeapSnapshot } from "@evenbench/host/inspector";
import type { KeptRecord } from "@evenbench/results";
import { type LocalTarget, openInspectorAtStart, type ProofSession, withInspected } from "@evenbench/runner";
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
 * @throws {UserError} where no inspector can be reached, or a request fails: with how the instance died, where it did.
 */
export async function profileKept(
  session: ProofSession,
  target: LocalTarget,
  manifest: CaseManifest,
  options: ProfileOptions,
): Promise<TakenKept> {
  const { name } = target;
  options.onPhase?.(name, "start");
  const inspected = await openInspectorAtStart(target);
  const { identity, expected } = await proveTarget(session, inspected.target, manifest, options);
  const order = { name, inspected, request: { path: manifest.path, expected }, connections: 1 };
  return await withInspected(order, session, async ({ inspector, sendBlock, inTurn }) => {
    const facts = await factsOf(target, identity, inspector);
    options.onPhase?.(name, "warmup");
    await sendBlock();
    const { result: before, requests: ofSnapshot } = await inTurn(takeHeapSnapshot(inspector));
    options.onPhase?.(name, "sample");
    const requests = (await sendBlock()) + ofSnapshot;
    const { result: after } = await inTurn(takeHeapSnapshot(inspector));
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
  });
}
