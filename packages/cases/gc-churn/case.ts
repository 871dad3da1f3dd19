import { defineCase, wholeResponse } from "@evenbench/core";

/** So many objects stay reachable at a time: they outlive a few collections of the young generation, then die. */
const ALIVE = 20_000;

export default defineCase({
  title: "Objects that die young, but not at once",
  description:
    "Allocates small objects of which the last 20,000 stay alive: the work is the garbage collector's young generation.",
  parameters: {
    objects: {
      type: "integer",
      default: 400_000,
      minimum: 1,
      maximum: 20_000_000,
      description: "Objects allocated.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 31,
    sha256: "f0122752db107957fdd00bd365c8d0a1de31175651f9107c83bd6b592f65bdeb",
  },
  headline: "lastByteMs",
  handle(_request, { objects }) {
    return wholeResponse(`${JSON.stringify({ objects, sum: churn(objects) })}\n`, "application/json");
  },
});

interface Node {
  readonly value: number;
  readonly label: string;
  readonly pair: readonly [number, number];
}

function churn(objects: number): number {
  const alive: (Node | undefined)[] = new Array(ALIVE).fill(undefined);
  let sum = 0;
  for (let index = 0; index < objects; index++) {
    const slot = index % ALIVE;
    const before = alive[slot];
    if (before !== undefined) sum = (sum + before.value + before.pair[1] + before.label.length) % 1_000_003;
    alive[slot] = { value: index, label: `n${index % 1000}`, pair: [index, index + 1] };
  }
  return sum;
}
