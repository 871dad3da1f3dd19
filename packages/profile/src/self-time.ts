import type { Profiler } from "node:inspector";
import type { HotFunction, Owner, OwnerKind, SelfTime } from "@evenbench/results";
import type { Attribution } from "./attribution.ts";

/** The owner of samples without a function of JavaScript. */
const PROGRAM_OWNER: Owner = { kind: "program", name: "program" };

/** Owners of the frames that V8 itself names, by its names. */
const META: ReadonlyMap<string, Owner> = new Map([
  ["(garbage collector)", { kind: "collector", name: "garbage collector" }],
  ["(program)", PROGRAM_OWNER],
  ["(root)", PROGRAM_OWNER],
  ["(bot)", PROGRAM_OWNER],
  ["(idle)", { kind: "idle", name: "idle" }],
]);

/** Number of functions that a record names: further ones have a few samples each. */
const FUNCTIONS_NAMED = 5;

/** Owners whose functions stand in a file that can be opened. */
const OWNERS_OF_FILES: readonly OwnerKind[] = ["case", "package", "adapter", "harness", "unattributed"];

/** Adds up a profile's samples by owner and function, not their times: workerd takes none while a Worker waits. */
export function selfTime(
  { nodes, samples = [] }: Profiler.Profile,
  { ownerOf, placeOf }: Attribution,
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
  return {
    samples: samples.length,
    busySamples,
    rows: rows.sort(inRowOrder),
    collectorShare: share(countOf("collector")),
    unattributedShare: share(countOf("unattributed")),
    hottest: hottestFunctions({ nodes, samples }, ownerAt, placeOf).map((found) => ({
      ...found,
      share: share(found.samples),
    })),
  };
}

/** Compares two rows for their order: idle time last, then by samples, the most first, then by name. */
function inRowOrder(a: SelfTime["rows"][number], b: SelfTime["rows"][number]): number {
  const isIdle = a.share === null;
  if (isIdle !== (b.share === null)) {
    return isIdle ? 1 : -1;
  }
  if (a.samples !== b.samples) {
    return b.samples - a.samples;
  }
  return a.name < b.name ? -1 : 1;
}

/** Finds the functions with the most samples. A function may have many nodes: one for each way that leads to it. */
function hottestFunctions(
  { nodes, samples = [] }: Pick<Profiler.Profile, "nodes" | "samples">,
  ownerAt: ReadonlyMap<number, Owner>,
  placeOf: Attribution["placeOf"],
): readonly Omit<HotFunction, "share">[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ofFiles = samples.filter((id) => OWNERS_OF_FILES.includes(ownerAt.get(id)?.kind ?? "idle"));
  const keyOf = (id: number): string => {
    const frame = byId.get(id)?.callFrame;
    return `${frame?.url} ${frame?.lineNumber} ${frame?.columnNumber} ${frame?.functionName}`;
  };
  const groups = [...Map.groupBy(ofFiles, keyOf).values()].sort((a, b) => b.length - a.length);
  return groups.slice(0, FUNCTIONS_NAMED).flatMap((group) => {
    const [id = -1] = group;
    const found = byId.get(id)?.callFrame;
    const owner = ownerAt.get(id);
    if (found === undefined || owner === undefined) {
      return [];
    }
    const isTopLevel = found.functionName === "" && found.lineNumber <= 0 && found.columnNumber <= 0;
    const ofScript = isTopLevel ? hottestLine(group, byId) : found.lineNumber + 1;
    const place = placeOf({ ...found, lineNumber: (ofScript ?? 1) - 1 });
    return [
      {
        name: found.functionName || (isTopLevel ? "(top level)" : "(anonymous)"),
        owner: owner.name,
        file: place?.file ?? found.url,
        line: ofScript === null ? null : (place?.line ?? ofScript),
        samples: group.length,
      },
    ];
  });
}

/** Finds a module's line with the most samples, from 1; null where V8 names none, of what was compiled before. */
function hottestLine(
  group: readonly number[],
  byId: ReadonlyMap<number, Profiler.ProfileNode>,
): number | null {
  const samples = new Map<number, number>();
  for (const id of new Set(group)) {
    for (const { line, ticks } of byId.get(id)?.positionTicks ?? []) {
      samples.set(line, (samples.get(line) ?? 0) + ticks);
    }
  }
  const [hottest] = [...samples].sort(([, a], [, b]) => b - a);
  return hottest?.[0] ?? null;
}
