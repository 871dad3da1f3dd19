import type { Owner } from "@evenbench/results";
import type { Attribution } from "./attribution/attribution.ts";
import type { CpuProfile, ProfileNode } from "./cpu-profile.ts";
import { countSamples, ownerOfFrame, placeOf } from "./self-time.ts";

/**
 * A call and what it calls, the same function called in several places of its caller merged: a box of a flame
 * graph.
 */
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

/** Makes the tree of calls of a profile, without idle samples. */
export function flameTree(profile: CpuProfile, attribution: Attribution): FlameNode {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const counts = countSamples(profile);
  const called = new Set(profile.nodes.flatMap(({ children = [] }) => children));
  const root = growing("all", { kind: "program", name: "all" }, "");
  const add = (parent: Growing, node: ProfileNode | undefined): number => {
    if (node === undefined) return 0;
    const owner = ownerOfFrame(node.callFrame, attribution);
    if (owner.kind === "idle") return 0;
    const own = childOf(parent, node, owner, attribution);
    const self = counts.get(node.id) ?? 0;
    const below = (node.children ?? []).reduce((sum, id) => sum + add(own, byId.get(id)), 0);
    own.self += self;
    own.total += self + below;
    return self + below;
  };
  for (const top of profile.nodes.filter(({ id }) => !called.has(id))) {
    for (const id of top.children ?? []) root.total += add(root, byId.get(id));
  }
  return grown(root);
}

/**
 * Leaves small nodes out of a tree of calls.
 *
 * @param leastShare of the root's samples, from 0 to 1.
 */
export function pruneFlame(tree: FlameNode, leastShare: number): Flame {
  const least = Math.max(1, leastShare * tree.total);
  let leftOut = 0;
  const prune = (node: FlameNode, depth: number): FlameNode => {
    const kept: FlameNode[] = [];
    for (const child of node.children) {
      if (child.total >= least && depth < DEEPEST) kept.push(prune(child, depth + 1));
      else leftOut += sizeOf(child);
    }
    return { ...node, children: kept };
  };
  return { root: prune(tree, 0), leastShare, leftOut };
}

function childOf(
  parent: Growing,
  { callFrame }: ProfileNode,
  owner: Owner,
  attribution: Attribution,
): Growing {
  const place = placeOf(callFrame, attribution);
  const name = callFrame.functionName || "(anonymous)";
  const key = `${name} ${place}`;
  const child = parent.children.get(key) ?? growing(name, owner, place);
  parent.children.set(key, child);
  return child;
}

function growing(name: string, owner: Owner, place: string): Growing {
  return { name, owner, place, total: 0, self: 0, children: new Map() };
}

function grown({ children, ...node }: Growing): FlameNode {
  const called = [...children.values()].filter(({ total }) => total > 0).map(grown);
  return { ...node, children: called.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1)) };
}

function sizeOf({ children }: FlameNode): number {
  return children.reduce((sum, child) => sum + sizeOf(child), 1);
}
