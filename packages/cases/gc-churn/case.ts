import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "Objects that die young, but not at once",
  kind: "memory",
  description:
    "Allocates small objects, each of which stays alive until 50,000 more have been made, then dies: work for the collector's young generation.",
  parameters: {
    objects: {
      type: "integer",
      default: 400_000,
      minimum: 1,
      maximum: 10_000_000,
      description: "Objects allocated.",
    },
    alive: {
      type: "integer",
      default: 50_000,
      minimum: 1,
      maximum: 200_000,
      description: "Objects alive at a time: how long each one lives.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 46,
    sha256: "abf16e6420c6a65d4e7ce31ba287b535e3a801ed7f4ea9d09775019ec9f2fd3c",
  },
  handle(_request, { objects, alive }) {
    const sum = churn(objects, alive);
    return wholeResponse(`${JSON.stringify({ objects, alive, sum })}\n`, "application/json");
  },
});

interface Node {
  readonly value: number;
  readonly label: string;
  readonly pair: readonly [number, number];
}

function churn(objects: number, alive: number): number {
  const ring: (Node | undefined)[] = new Array(alive).fill(undefined);
  let sum = 0;
  for (let index = 0; index < objects; index++) {
    const slot = index % alive;
    const before = ring[slot];
    if (before !== undefined) {
      sum = (sum + before.value + before.pair[1] + before.label.length) % 1_000_003;
    }
    ring[slot] = { value: index, label: `n${index % 1000}`, pair: [index, index + 1] };
  }
  return sum;
}
