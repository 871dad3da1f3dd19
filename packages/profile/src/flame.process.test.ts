import { beforeAll, expect, test } from "vitest";
import { BURN_AND_CHURN } from "../test/attribution.ts";
import { recordBurnAndChurn } from "../test/recorded.ts";
import { type FlameNode, flameTree, pruneFlame } from "./flame.ts";
import { selfTime } from "./self-time.ts";

let tree: FlameNode;
let busy: number;
beforeAll(async () => {
  const profile = await recordBurnAndChurn();
  tree = flameTree(profile, BURN_AND_CHURN);
  busy = selfTime(profile, BURN_AND_CHURN).busySamples;
});

function all(node: FlameNode): FlameNode[] {
  return [node, ...node.children.flatMap(all)];
}

test("the root holds all busy samples, each node its own and those of its callees", () => {
  expect(tree.total).toBe(busy);
  for (const { total, self, children } of all(tree)) {
    expect(total).toBe(self + children.reduce((sum, child) => sum + child.total, 0));
    const totals = children.map((child) => child.total);
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
  }
  expect(all(tree).map(({ name }) => name)).toEqual(expect.arrayContaining(["burn", "churn"]));
});

test("what is small is left out with its callees, and counted; nothing else changes", () => {
  const share = 0.1;
  const { root, leftOut, leastShare } = pruneFlame(tree, share);
  expect(leastShare).toBe(share);
  expect(root.total).toBe(tree.total);
  expect(all(root).length + leftOut).toBe(all(tree).length);
  for (const { total } of all(root)) expect(total).toBeGreaterThanOrEqual(share * tree.total);
});

test("nothing is left out at a share of 0 but what lies too deep", () => {
  expect(pruneFlame(tree, 0).leftOut).toBe(0);
  let deep: FlameNode = { ...tree, name: "deepest", children: [] };
  for (let depth = 0; depth < 200; depth++) deep = { ...deep, name: `level ${depth}`, children: [deep] };
  const { root, leftOut } = pruneFlame(deep, 0);
  expect(leftOut).toBeGreaterThan(0);
  expect(all(root).length + leftOut).toBe(201);
});
