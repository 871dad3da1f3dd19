import type { Owner, OwnerKind, SelfTime } from "@evenbench/results";
import type { CallFrame, CpuProfile } from "./inspector.ts";

const PROGRAM: Owner = { kind: "program", name: "program" };

const META: ReadonlyMap<string, Owner> = new Map([
  ["(garbage collector)", { kind: "collector", name: "garbage collector" }],
  ["(program)", PROGRAM],
  ["(root)", PROGRAM],
  ["(bot)", PROGRAM],
  ["(idle)", { kind: "idle", name: "idle" }],
]);

/** Samples are counted, not their times: workerd takes none while a Worker waits. */
export function selfTime({ nodes, samples }: CpuProfile, ownerOf: (frame: CallFrame) => Owner): SelfTime {
  const owners = new Map<string, Owner & { samples: number }>();
  const counts = Map.groupBy(samples, (id) => id);
  for (const { id, callFrame } of nodes) {
    const own = counts.get(id)?.length ?? 0;
    if (own === 0) continue;
    const { functionName, url } = callFrame;
    const owner = (url === "" ? META.get(functionName) : undefined) ?? ownerOf(callFrame);
    const key = `${owner.kind} ${owner.name}`;
    owners.set(key, { ...owner, samples: (owners.get(key)?.samples ?? 0) + own });
  }
  const samplesOf = (kind: OwnerKind) =>
    [...owners.values()].reduce((sum, owner) => sum + (owner.kind === kind ? owner.samples : 0), 0);
  const busySamples = samples.length - samplesOf("idle");
  const share = (part: number) => (busySamples === 0 ? 0 : part / busySamples);
  const rows = [...owners.values()].map((owner) => {
    return { ...owner, share: owner.kind === "idle" ? null : share(owner.samples) };
  });
  const isIdle = (row: { share: number | null }) => Number(row.share === null);
  return {
    samples: samples.length,
    busySamples,
    rows: rows.sort((a, b) => isIdle(a) - isIdle(b) || b.samples - a.samples || (a.name < b.name ? -1 : 1)),
    collectorShare: share(samplesOf("collector")),
    unattributedShare: share(samplesOf("unattributed")),
  };
}
