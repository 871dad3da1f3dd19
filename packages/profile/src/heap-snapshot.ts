// V8's heap snapshots: how many objects there are of each constructor.
import type { KeptRow } from "@evenbench/results";

/** The parts of a snapshot that are read: nodes are a flat list of numbers, by the fields that it names. */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[]];
    };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** What a heap holds of one constructor. */
type Held = Pick<KeptRow, "objects" | "bytes">;

/** Kinds of nodes that have a name of their own; of others the kind says more than the name. */
const NAMED: readonly string[] = ["object", "native"];

/** Counts the objects of a heap by constructor. @param text a snapshot's JSON, as V8 gives it. */
export function heldBy(text: string): ReadonlyMap<string, Held> {
  const { snapshot, nodes, strings } = JSON.parse(text) as HeapSnapshot;
  const {
    node_fields: fields,
    node_types: [types],
  } = snapshot.meta;
  const [type, name, size] = ["type", "name", "self_size"].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const held = new Map<string, { objects: number; bytes: number }>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const kind = types[nodes[at + type] ?? -1] ?? "";
    const ofNode = NAMED.includes(kind) ? strings[nodes[at + name] ?? -1] : undefined;
    const key = ofNode ?? `(${kind})`;
    const all = held.get(key) ?? { objects: 0, bytes: 0 };
    all.objects += 1;
    all.bytes += nodes[at + size] ?? 0;
    held.set(key, all);
  }
  return held;
}

/** Number of constructors that a record names: further ones have a few bytes each. */
const ROWS_NAMED = 10;

/** Lists what a later heap holds more than an earlier one, the most bytes first. */
export function keptBetween(
  before: ReadonlyMap<string, Held>,
  after: ReadonlyMap<string, Held>,
): readonly KeptRow[] {
  const rows = [...after].map(([name, { objects, bytes }]) => ({
    name,
    objects: objects - (before.get(name)?.objects ?? 0),
    bytes: bytes - (before.get(name)?.bytes ?? 0),
  }));
  return rows
    .filter(({ objects, bytes }) => objects > 0 && bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, ROWS_NAMED);
}
