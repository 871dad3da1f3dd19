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
export function selfTime({ nodes, samples }: CpuProfile, attribution: Attribution): SelfTime {
  const owners = new Map<string, Owner & { samples: number }>();
  const functions = new Map<string, Omit<FunctionRow, "share">>();
  const counts = Map.groupBy(samples, (id) => id);
  for (const { id, callFrame } of nodes) {
    const own = counts.get(id)?.length ?? 0;
    if (own === 0) continue;
    const { functionName, url } = callFrame;
    const owner = (url === "" ? META.get(functionName) : undefined) ?? attribution.ownerOf(callFrame);
    const { kind, name } = owner;
    const ownerKey = `${kind} ${name}`;
    owners.set(ownerKey, { ...owner, samples: (owners.get(ownerKey)?.samples ?? 0) + own });
    if (kind === "idle") continue;
    const place = placeOf(callFrame, attribution);
    const key = `${functionName} ${place}`;
    const before = functions.get(key)?.samples ?? 0;
    functions.set(key, { functionName, owner: name, place, samples: before + own });
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
    rows: rows.sort((a, b) => isIdle(a) - isIdle(b) || byRank(a, b, a.name, b.name)),
    functions: [...functions.values()]
      .sort((a, b) => byRank(a, b, a.place, b.place))
      .slice(0, FUNCTIONS_SHOWN)
      .map((row) => ({ ...row, share: share(row.samples) })),
    collectorShare: share(samplesOf("collector")),
    unattributedShare: share(samplesOf("unattributed")),
  };
}

function placeOf({ url, lineNumber, columnNumber }: CallFrame, { fileOf }: Attribution): string {
  if (url === "") return "";
  return lineNumber < 0 ? fileOf(url) : `${fileOf(url)}:${lineNumber + 1}:${columnNumber + 1}`;
}

function byRank(a: { samples: number }, b: { samples: number }, nameA: string, nameB: string): number {
  return b.samples - a.samples || (nameA < nameB ? -1 : 1);
}
