import type { Profiler, Runtime } from "node:inspector";
import type { Owner, OwnerKind, SelfTime } from "@evenbench/results";

const PROGRAM: Owner = { kind: "program", name: "program" };

/** Owners of the frames that V8 itself names. */
const META: ReadonlyMap<string, Owner> = new Map([
  ["(garbage collector)", { kind: "collector", name: "garbage collector" }],
  ["(program)", PROGRAM],
  ["(root)", PROGRAM],
  ["(bot)", PROGRAM],
  ["(idle)", { kind: "idle", name: "idle" }],
]);

/** Adds up the samples of a profile by owner. Samples are counted, not their times: workerd takes none while a Worker waits. */
export function selfTime(
  { nodes, samples = [] }: Profiler.Profile,
  ownerOf: (frame: Runtime.CallFrame) => Owner,
): SelfTime {
  const ownerAt = new Map(
    nodes.map(({ id, callFrame }) => {
      const meta = callFrame.url === "" ? META.get(callFrame.functionName) : undefined;
      return [id, meta ?? ownerOf(callFrame)] as const;
    }),
  );
  const owners = samples.flatMap((id) => ownerAt.get(id) ?? []);
  const countOf = (kind: OwnerKind) => owners.filter((owner) => owner.kind === kind).length;
  const busySamples = samples.length - countOf("idle");
  const share = (part: number) => (busySamples === 0 ? 0 : part / busySamples);
  const groups = Map.groupBy(owners, ({ kind, name }) => `${kind} ${name}`);
  const rows = [...groups.values()].map((group) => {
    const [owner] = group as [Owner];
    return { ...owner, samples: group.length, share: owner.kind === "idle" ? null : share(group.length) };
  });
  const isIdle = (row: { share: number | null }) => Number(row.share === null);
  return {
    samples: samples.length,
    busySamples,
    rows: rows.sort((a, b) => isIdle(a) - isIdle(b) || b.samples - a.samples || (a.name < b.name ? -1 : 1)),
    collectorShare: share(countOf("collector")),
    unattributedShare: share(countOf("unattributed")),
  };
}
