import type { CpuProfile, ProfileNode } from "./cpu-profile.ts";
import { countSamples, type Owner, type OwnerOf, ownerOfFrame, placeOf } from "./self-time.ts";

/** A call and what it calls, callees by name merged: a rectangle of a flame graph. */
export interface FlameNode {
  readonly name: string;
  readonly owner: Owner;
  /** "file.mjs:12:5"; "" for what is no function. */
  readonly place: string;
  /** Samples in it and in what it called. */
  readonly total: number;
  /** Samples in it alone. */
  readonly self: number;
  /** Largest first. */
  readonly children: readonly FlameNode[];
}

/** A flame graph that leaves small things out. */
export interface Flame {
  /** All busy samples. */
  readonly root: FlameNode;
  /** A node with less than this share of the busy samples is left out, with what it calls. */
  readonly leastShare: number;
  /** Nodes that were left out. Their samples are in their callers' totals. */
  readonly leftOut: number;
  readonly depth: number;
}

/** So many levels fit a page; what lies deeper is left out. */
const DEEPEST = 90;

interface Growing {
  readonly name: string;
  readonly owner: Owner;
  readonly place: string;
  total: number;
  self: number;
  readonly children: Map<string, Growing>;
}

/**
 * Makes the tree of calls of a profile, without idle samples. A function that another one calls in several places is one node.
 *
 * @param leastShare of the busy samples, from 0 to 1; smaller nodes are left out.
 */
export function flameOf(profile: CpuProfile, ownerOf: OwnerOf, leastShare: number): Flame {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const counts = countSamples(profile);
  const root = growing("all", { kind: "program", name: "all" }, "");
  const called = new Set(profile.nodes.flatMap(({ children = [] }) => children));
  const tops = profile.nodes.filter(({ id }) => !called.has(id));
  const add = (parent: Growing, node: ProfileNode | undefined): number => {
    if (node === undefined) return 0;
    const owner = ownerOfFrame(node.callFrame, ownerOf);
    if (owner.kind === "idle") return 0;
    const own = childOf(parent, node, owner);
    const self = counts.get(node.id) ?? 0;
    const below = (node.children ?? []).reduce((sum, id) => sum + add(own, byId.get(id)), 0);
    own.self += self;
    own.total += self + below;
    return self + below;
  };
  for (const top of tops) for (const id of top.children ?? []) root.total += add(root, byId.get(id));
  const pruned = { leftOut: 0, depth: 0 };
  const least = leastShare * root.total;
  return { root: prune(root, least, 0, pruned), leastShare, ...pruned };
}

function childOf(parent: Growing, { callFrame }: ProfileNode, owner: Owner): Growing {
  const place = placeOf(callFrame);
  const name = callFrame.functionName || "(anonymous)";
  const key = `${name} ${place}`;
  const child = parent.children.get(key) ?? growing(name, owner, place);
  parent.children.set(key, child);
  return child;
}

function growing(name: string, owner: Owner, place: string): Growing {
  return { name, owner, place, total: 0, self: 0, children: new Map() };
}

function prune(
  node: Growing,
  least: number,
  depth: number,
  pruned: { leftOut: number; depth: number },
): FlameNode {
  pruned.depth = Math.max(pruned.depth, depth);
  const { name, owner, place, total, self } = node;
  const children = [...node.children.values()];
  const kept = children.filter((child) => child.total >= least && child.total > 0 && depth < DEEPEST);
  pruned.leftOut += children.reduce((sum, child) => sum + (kept.includes(child) ? 0 : sizeOf(child)), 0);
  return {
    name,
    owner,
    place,
    total,
    self,
    children: kept
      .map((child) => prune(child, least, depth + 1, pruned))
      .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1)),
  };
}

function sizeOf(node: Growing): number {
  if (node.total === 0) return 0;
  return [...node.children.values()].reduce((sum, child) => sum + sizeOf(child), 1);
}
