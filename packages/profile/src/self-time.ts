import type { FunctionRow, Owner, OwnerKind, SelfTime } from "@evenbench/results";
import type { Attribution } from "./attribution.ts";
import type { CallFrame, CpuProfile } from "./inspector.ts";

const FUNCTIONS_SHOWN = 30;

const PROGRAM: Owner = { kind: "program", name: "program" };

const META: ReadonlyMap<string, Owner> = new Map([
  ["(garbage collector)", { kind: "collector", name: "garbage collector" }],
  ["(program)", PROGRAM],
  ["(root)", PROGRAM],
  ["(bot)", PROGRAM],
  ["(idle)", { kind: "idle", name: "idle" }],
]);

/** Samples are counted, not their times: workerd takes none while a Worker waits. */
export function selfTime(profile: CpuProfile, attribution: Attribution): SelfTime {
  const owners = new Map<string, { owner: Owner; samples: number }>();
  const functions = new Map<string, Omit<FunctionRow, "share"> & { samples: number }>();
  let idle = 0;
  const counts = countSamples(profile);
  for (const { id, callFrame } of profile.nodes) {
    const samples = counts.get(id) ?? 0;
    if (samples === 0) continue;
    const meta = callFrame.url === "" ? META.get(callFrame.functionName) : undefined;
    const owner = meta ?? attribution.ownerOf(callFrame);
    const ownerKey = `${owner.kind} ${owner.name}`;
    owners.set(ownerKey, { owner, samples: (owners.get(ownerKey)?.samples ?? 0) + samples });
    if (owner.kind === "idle") {
      idle += samples;
      continue;
    }
    const { functionName } = callFrame;
    const place = placeOf(callFrame, attribution);
    const key = `${functionName} ${place}`;
    const before = functions.get(key)?.samples ?? 0;
    functions.set(key, { functionName, owner: owner.name, place, samples: before + samples });
  }
  const busySamples = profile.samples.length - idle;
  const share = (samples: number) => (busySamples === 0 ? 0 : samples / busySamples);
  const shareOf = (kind: OwnerKind) =>
    share(
      [...owners.values()].reduce((sum, { owner, samples }) => sum + (owner.kind === kind ? samples : 0), 0),
    );
  const rows = [...owners.values()]
    .map(({ owner, samples }) => ({
      ...owner,
      samples,
      share: owner.kind === "idle" ? null : share(samples),
    }))
    .sort((a, b) => Number(a.share === null) - Number(b.share === null) || byRank(a, b, a.name, b.name));
  return {
    samples: profile.samples.length,
    busySamples,
    rows,
    functions: [...functions.values()]
      .sort((a, b) => byRank(a, b, a.place, b.place))
      .slice(0, FUNCTIONS_SHOWN)
      .map((row) => ({ ...row, share: share(row.samples) })),
    collectorShare: shareOf("collector"),
    unattributedShare: shareOf("unattributed"),
  };
}

function countSamples({ samples }: CpuProfile): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function placeOf({ url, lineNumber, columnNumber }: CallFrame, { fileOf }: Attribution): string {
  if (url === "") return "";
  return lineNumber < 0 ? fileOf(url) : `${fileOf(url)}:${lineNumber + 1}:${columnNumber + 1}`;
}

function byRank(a: { samples: number }, b: { samples: number }, nameA: string, nameB: string): number {
  return b.samples - a.samples || (nameA < nameB ? -1 : 1);
}
