import { defineCase, wholeResponse } from "@evenbench/core";

export default defineCase({
  title: "template-case",
  kind: "arithmetic",
  description: "Adds up the squares of the numbers below n, modulo a prime.",
  parameters: {
    n: { type: "integer", default: 1_000_000, minimum: 1, maximum: 10_000_000, description: "Numbers." },
  },
  // `npm run bench -- preflight --accept template-case` writes them here.
  golden: null,
  headline: "lastByteMs",
  handle(_request, { n }) {
    return wholeResponse(`${JSON.stringify({ n, sum: sumOfSquares(n) })}\n`, "application/json");
  },
});

function sumOfSquares(n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum = (sum + i * i) % 1_000_003;
  return sum;
}
