import { defineCase, wholeResponse } from "@evenbench/core";

/** Scales the argument of the "small" range: i < 1e7 then stays below pi. */
const SMALL = 1e-7;

export default defineCase({
  title: "Sine and cosine",
  kind: "arithmetic",
  description:
    "Adds up sin(πi)·cos(πi). The argument's size decides how fast a runtime's library is; the parameter range chooses between two.",
  parameters: {
    n: { type: "integer", default: 1_000_000, minimum: 1, maximum: 20_000_000, description: "Steps." },
    range: {
      type: "choice",
      default: "published",
      choices: ["published", "small"],
      description: "The argument: πi as published, or πi·1e-7.",
    },
  },
  golden: {
    status: 200,
    contentType: "application/json",
    bytes: 50,
    sha256: "e3d693721afa92822d7c5af116a25bc4352d6b28f3da8d79886944e79b746385",
  },
  scatter: 0.01,
  handle(_request, { n, range }) {
    const sum = sumOfProducts(n, range === "small" ? Math.PI * SMALL : Math.PI);
    return wholeResponse(`${JSON.stringify({ n, range, sum: rounded(sum) })}\n`, "application/json");
  },
});

function sumOfProducts(n: number, scale: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    sum += Math.sin(scale * i) * Math.cos(scale * i);
  }
  return sum;
}

/** Runtimes build V8 with different trigonometry, which differs in the last bits: 4 places are equal everywhere. */
function rounded(sum: number): string {
  return (Math.abs(sum) < 0.00005 ? 0 : sum).toFixed(4);
}
